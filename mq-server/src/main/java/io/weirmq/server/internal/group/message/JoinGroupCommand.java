package io.weirmq.server.internal.group.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A member wants to take part in the group's next generation. Immutable.
 *
 * @param groupId name of the group
 * @param member who joins; without an id at its first time
 * @param clientId the client's name for itself
 * @param clientHost address of the client, as it is to be shown
 * @param sessionTimeoutMs how long the member may be silent, in milliseconds
 * @param rebalanceTimeoutMs how long the group waits for the member in a rebalance, in milliseconds
 * @param protocolType kind of group, {@code consumer} for instance; all members share it
 * @param protocols what the member understands, best first
 * @param memberIdRequired whether a new dynamic member is first sent away with an id (version 4
 *     on), so that a lost answer leaves no member behind
 * @param skipAssignmentUnderstood whether the client, as the leader, can be told not to assign anew
 *     (version 9 on)
 * @param reason why it joins, in the client's words; null where it does not say
 */
public record JoinGroupCommand(
    String groupId,
    MemberIdentity member,
    String clientId,
    String clientHost,
    int sessionTimeoutMs,
    int rebalanceTimeoutMs,
    String protocolType,
    List<JoinProtocol> protocols,
    boolean memberIdRequired,
    boolean skipAssignmentUnderstood,
    @Nullable String reason) {

  /** Copies the list. */
  public JoinGroupCommand {
    protocols = List.copyOf(protocols);
  }
}
