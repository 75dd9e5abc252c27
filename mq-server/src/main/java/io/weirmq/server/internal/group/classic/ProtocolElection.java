package io.weirmq.server.internal.group.classic;

import io.weirmq.server.internal.group.message.JoinProtocol;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the protocol that a group uses: one that all members understand, by vote. Confined to one
 * thread (the coordinator's).
 *
 * <p>Keeps count of how many members understand each protocol, so that a join costs no look at the
 * other members.
 */
final class ProtocolElection {

  private final Map<String, Integer> supportCounts = new HashMap<>();
  private int memberCount;

  void add(GroupMember member) {
    memberCount++;
    member.protocolNames().forEach(name -> supportCounts.merge(name, 1, Integer::sum));
  }

  void remove(GroupMember member) {
    memberCount--;
    for (String name : member.protocolNames()) {
      supportCounts.merge(name, -1, Integer::sum);
      supportCounts.remove(name, 0);
    }
  }

  /** Whether one of the protocols is understood by all members. */
  boolean shareOneWith(List<JoinProtocol> offered) {
    return offered.stream().anyMatch(protocol -> isCommon(protocol.name()));
  }

  private boolean isCommon(String name) {
    return supportCounts.getOrDefault(name, 0) == memberCount;
  }

  /**
   * Chooses the protocol with the most votes among those that all members understand. At equal
   * votes the one that was voted for first wins, so that the choice does not depend on chance.
   *
   * @param members all members that were added, in the order in which they vote
   */
  String choose(Collection<GroupMember> members) {
    Set<String> candidates = new HashSet<>(supportCounts.keySet());
    candidates.removeIf(name -> !isCommon(name));
    if (candidates.isEmpty()) {
      throw new IllegalStateException(
          "no protocol is understood by all %d members".formatted(memberCount));
    }
    Map<String, Integer> votes = new LinkedHashMap<>();
    members.forEach(member -> votes.merge(member.vote(candidates), 1, Integer::sum));
    String chosen = "";
    int most = 0;
    for (Map.Entry<String, Integer> entry : votes.entrySet()) {
      if (entry.getValue() > most) {
        chosen = entry.getKey();
        most = entry.getValue();
      }
    }
    return chosen;
  }
}
