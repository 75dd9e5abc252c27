package io.weirmq.server.internal.group.classic;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.records.GroupMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group of the classic protocol and what they have agreed on. Confined to one
 * thread (the coordinator's).
 *
 * <p>This class keeps the books, and {@link RebalanceProgress} those of a rebalance; when to
 * rebalance is decided by {@link ClassicProtocol}'s parts. Invariants:
 *
 * <ul>
 *   <li>the leader, where there is one, is a member;
 *   <li>the generation never goes down;
 *   <li>without members there is neither leader nor protocol;
 *   <li>the joins counted as parked are those of the members.
 * </ul>
 */
public final class ClassicGroup {

  private static final String CONSUMER_PROTOCOL_TYPE = "consumer";

  private final String groupId;
  private final Map<String, GroupMember> members = new LinkedHashMap<>();
  private final Map<String, String> memberIdByInstance = new HashMap<>();
  private final ProtocolElection protocols = new ProtocolElection();
  private final PendingMembers pending = new PendingMembers();
  private final Set<String> pendingSyncs = new HashSet<>();
  private final RebalanceProgress rebalance = new RebalanceProgress();

  private GroupState state = GroupState.EMPTY;
  private long stateTimestampMs;
  private int generation;
  private @Nullable String protocolType;
  private @Nullable String protocol;
  private @Nullable String leader;
  private @Nullable Set<String> subscribedTopics;
  private int parkedJoinCount;

  /**
   * Makes an empty group.
   *
   * @param groupId name of the group
   * @param nowMs wall-clock time, in milliseconds since 1970
   */
  public ClassicGroup(String groupId, long nowMs) {
    this.groupId = groupId;
    this.stateTimestampMs = nowMs;
  }

  /** Makes a group from what is stored of it: empty, or stable with all its members. */
  public static ClassicGroup restored(GroupMetadata stored) {
    ClassicGroup group = new ClassicGroup(stored.groupId(), stored.stateTimestampMs());
    group.generation = stored.generation();
    group.protocolType = stored.protocolType().isEmpty() ? null : stored.protocolType();
    if (!stored.members().isEmpty()) {
      String chosen = stored.protocol() == null ? "" : stored.protocol();
      group.protocol = chosen;
      for (GroupMetadata.Member member : stored.members()) {
        group.add(GroupMember.stored(member, chosen));
      }
      if (stored.leader() != null && group.members.containsKey(stored.leader())) {
        group.leader = stored.leader();
      }
      group.state = GroupState.STABLE;
      group.subscribedTopics = group.readSubscriptions();
    }
    return group;
  }

  /** What is to be stored of the group, with the assignments that it has. */
  public GroupMetadata toStored() {
    Map<String, OpaqueBytes> assignments = new HashMap<>();
    members.values().forEach(member -> assignments.put(member.memberId(), member.assignment()));
    return toStored(assignments);
  }

  /** What is to be stored of the group, with assignments that it is about to have. */
  GroupMetadata toStored(Map<String, OpaqueBytes> assignments) {
    List<GroupMetadata.Member> stored = new ArrayList<>(members.size());
    for (GroupMember member : members.values()) {
      OpaqueBytes assignment = assignments.getOrDefault(member.memberId(), OpaqueBytes.EMPTY);
      stored.add(member.toStored(protocol, assignment));
    }
    return new GroupMetadata(
        groupId,
        protocolType == null ? "" : protocolType,
        generation,
        protocol,
        leader,
        stateTimestampMs,
        stored);
  }

  // ---- what the group is -------------------------------------------------------------------

  /** The name of the group. */
  public String groupId() {
    return groupId;
  }

  /** Where the group is in its life. */
  public GroupState state() {
    return state;
  }

  /** Wall-clock time of the last change of state, in milliseconds since 1970; -1 where unknown. */
  public long stateTimestampMs() {
    return stateTimestampMs;
  }

  /** The number of times that a rebalance was completed. */
  public int generation() {
    return generation;
  }

  /** The kind of group; null for a group that never had members. */
  public @Nullable String protocolType() {
    return protocolType;
  }

  /** The protocol of the generation; null without members. */
  public @Nullable String protocol() {
    return protocol;
  }

  /** The id of the leader; null without members. */
  public @Nullable String leader() {
    return leader;
  }

  /** The members, in the order in which they came. Unmodifiable in meaning: do not change. */
  public Collection<GroupMember> members() {
    return members.values();
  }

  /** A member by its id, null where there is none. */
  public @Nullable GroupMember member(String memberId) {
    return members.get(memberId);
  }

  /** A static member by its name, null where there is none. */
  public @Nullable GroupMember staticMember(String instanceId) {
    String memberId = memberIdByInstance.get(instanceId);
    return memberId == null ? null : members.get(memberId);
  }

  /** The number of members. */
  public int size() {
    return members.size();
  }

  /** Those who were given an id, and have not joined with it yet. */
  PendingMembers pending() {
    return pending;
  }

  /** What a rebalance of the group waits for. */
  RebalanceProgress rebalance() {
    return rebalance;
  }

  /** Whether the group has no members, and nobody is about to become one. */
  public boolean isUnused() {
    return state == GroupState.EMPTY && pending.isEmpty();
  }

  /** Whether the member leads the group. */
  public boolean isLeader(GroupMember member) {
    return member.memberId().equals(leader);
  }

  /** Whether the members are consumers, whose metadata names topics. */
  public boolean isConsumerGroup() {
    return CONSUMER_PROTOCOL_TYPE.equals(protocolType);
  }

  /** The longest time that a member allows for a rebalance, in milliseconds. */
  public int rebalanceTimeoutMs() {
    int longest = 0;
    for (GroupMember member : members.values()) {
      longest = Math.max(longest, member.rebalanceTimeoutMs());
    }
    return longest;
  }

  /**
   * The topics that the members of the generation read.
   *
   * @return null where that is unknown: no consumers, or a subscription that can't be read
   */
  public @Nullable Set<String> subscribedTopics() {
    return subscribedTopics;
  }

  /** Whether a member of a consumer group may read the topic: true where that is unknown. */
  public boolean maySubscribe(String topic) {
    return subscribedTopics == null || subscribedTopics.contains(topic);
  }

  /**
   * Checks that a request speaks for a member, by its id and by its name.
   *
   * @return {@link ErrorCode#NONE}; {@link ErrorCode#FENCED_INSTANCE_ID} where another has taken
   *     the place of the static member; else {@link ErrorCode#UNKNOWN_MEMBER_ID}
   */
  public ErrorCode check(MemberIdentity identity) {
    String instanceId = identity.instanceId();
    if (instanceId != null) {
      String current = memberIdByInstance.get(instanceId);
      if (current == null) {
        return ErrorCode.UNKNOWN_MEMBER_ID;
      }
      return current.equals(identity.memberId()) ? ErrorCode.NONE : ErrorCode.FENCED_INSTANCE_ID;
    }
    return members.containsKey(identity.memberId()) ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
  }

  // ---- protocols ---------------------------------------------------------------------------

  /** Whether a member of a kind with these protocols fits to those that are there. */
  boolean accepts(String type, List<JoinProtocol> offered) {
    if (members.isEmpty()) {
      return !type.isEmpty() && !offered.isEmpty();
    }
    return type.equals(protocolType) && protocols.shareOneWith(offered);
  }

  /** Chooses the protocol of a generation with the members that are there. */
  String chooseProtocol() {
    return protocols.choose(members.values());
  }

  private @Nullable Set<String> readSubscriptions() {
    if (!isConsumerGroup()) {
      return null;
    }
    List<OpaqueBytes> subscriptions = new ArrayList<>(members.size());
    members.values().forEach(member -> subscriptions.add(member.metadata(protocol)));
    return ConsumerSubscription.topicsOf(subscriptions);
  }

  // ---- members -----------------------------------------------------------------------------

  /** Adds a member; the first one leads and gives the group its kind. */
  void add(GroupMember member) {
    members.put(member.memberId(), member);
    if (member.instanceId() != null) {
      memberIdByInstance.put(member.instanceId(), member.memberId());
    }
    protocols.add(member);
    if (leader == null) {
      leader = member.memberId();
    }
    if (member.isJoining()) {
      parkedJoinCount++;
    }
  }

  /** Sets the kind of a group that has no members. */
  void become(String type) {
    protocolType = type;
  }

  /** Takes over what a new join of a member says. */
  void update(GroupMember member, JoinGroupCommand command) {
    protocols.remove(member);
    member.update(command);
    protocols.add(member);
  }

  /** Removes a member whose parked requests are answered; another one leads then. */
  void remove(GroupMember member) {
    if (!members.remove(member.memberId(), member)) {
      return;
    }
    protocols.remove(member);
    if (member.instanceId() != null) {
      memberIdByInstance.remove(member.instanceId(), member.memberId());
    }
    pendingSyncs.remove(member.memberId());
    if (member.isJoining()) {
      parkedJoinCount--;
    }
    if (member.memberId().equals(leader)) {
      leader = members.isEmpty() ? null : members.keySet().iterator().next();
    }
  }

  /** Puts a member into the place of another one; it leads where the other one did. */
  void replace(GroupMember present, GroupMember next) {
    boolean wasLeader = isLeader(present);
    boolean owedSync = pendingSyncs.contains(present.memberId());
    remove(present);
    add(next);
    if (wasLeader) {
      leader = next.memberId();
    }
    if (owedSync) {
      pendingSyncs.add(next.memberId());
    }
  }

  /** Makes a member whose join is parked the leader, unless the present one's is; false if none. */
  boolean electJoinedLeader() {
    GroupMember current = leader == null ? null : members.get(leader);
    if (current != null && current.isJoining()) {
      return true;
    }
    for (GroupMember member : members.values()) {
      if (member.isJoining()) {
        leader = member.memberId();
        return true;
      }
    }
    return false;
  }

  /** The members as the leader is told of them. */
  List<JoinedMember> joinedMembers() {
    List<JoinedMember> joined = new ArrayList<>(members.size());
    for (GroupMember member : members.values()) {
      joined.add(
          new JoinedMember(member.memberId(), member.instanceId(), member.metadata(protocol)));
    }
    return joined;
  }

  // ---- parked requests ---------------------------------------------------------------------

  /** Parks a join; an earlier one of the same member, whose client has given it up, is answered. */
  void parkJoin(GroupMember member, CompletableFuture<JoinGroupResult> answer) {
    answerJoin(member, JoinGroupResult.refused(ErrorCode.REBALANCE_IN_PROGRESS, member.memberId()));
    member.parkedJoin = answer;
    if (members.get(member.memberId()) == member) {
      parkedJoinCount++;
    }
  }

  /** Answers the parked join of a member, if there is one. */
  void answerJoin(GroupMember member, JoinGroupResult result) {
    CompletableFuture<JoinGroupResult> parked = member.parkedJoin;
    if (parked != null) {
      member.parkedJoin = null;
      if (members.get(member.memberId()) == member) {
        parkedJoinCount--;
      }
      parked.complete(result);
    }
  }

  /** Parks a sync; an earlier one of the same member, whose client has given it up, is answered. */
  void parkSync(GroupMember member, CompletableFuture<SyncGroupResult> answer) {
    answerSync(member, SyncGroupResult.refused(ErrorCode.REBALANCE_IN_PROGRESS));
    member.parkedSync = answer;
  }

  /** Answers the parked sync of a member, if there is one. */
  void answerSync(GroupMember member, SyncGroupResult result) {
    CompletableFuture<SyncGroupResult> parked = member.parkedSync;
    if (parked != null) {
      member.parkedSync = null;
      parked.complete(result);
    }
  }

  /** Whether nobody is missing for the next generation. */
  boolean haveAllJoined() {
    return parkedJoinCount == members.size() && pending.isEmpty();
  }

  int parkedJoinCount() {
    return parkedJoinCount;
  }

  /** Notes that a member has asked for its assignment; true if it was the last one to do so. */
  boolean syncArrived(String memberId) {
    return pendingSyncs.remove(memberId) && pendingSyncs.isEmpty();
  }

  /** The members that have not asked for their assignments in this generation. */
  List<GroupMember> membersWithoutSync() {
    List<GroupMember> missing = new ArrayList<>();
    for (GroupMember member : members.values()) {
      if (pendingSyncs.contains(member.memberId())) {
        missing.add(member);
      }
    }
    return missing;
  }

  // ---- life --------------------------------------------------------------------------------

  /**
   * Changes the state.
   *
   * @throws IllegalStateException where the states do not follow each other
   */
  void become(GroupState next, long nowMs) {
    if (!state.canBecome(next)) {
      throw new IllegalStateException(
          "group %s is %s and can't become %s".formatted(groupId, state, next));
    }
    state = next;
    stateTimestampMs = nowMs;
  }

  /** Begins the next generation with the members that are there. */
  void beginGeneration(long nowMs) {
    generation = Math.addExact(generation, 1);
    pendingSyncs.clear();
    rebalance.beginGeneration();
    if (members.isEmpty()) {
      protocol = null;
      subscribedTopics = Set.of();
      become(GroupState.EMPTY, nowMs);
    } else {
      protocol = chooseProtocol();
      subscribedTopics = readSubscriptions();
      pendingSyncs.addAll(members.keySet());
      become(GroupState.COMPLETING_REBALANCE, nowMs);
    }
  }

  @Override
  public String toString() {
    return "group %s (%s, generation %d, %d members)"
        .formatted(groupId, state.label(), generation, members.size());
  }
}
