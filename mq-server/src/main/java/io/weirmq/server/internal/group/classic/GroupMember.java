package io.weirmq.server.internal.group.classic;

import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.schedule.Scheduler.Scheduled;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A member of a classic group. Confined to one thread (the coordinator's).
 *
 * <p>Invariants: at most one join and one sync of a member are parked; both are answered exactly
 * once, also where a later request of the same member takes their place.
 */
public final class GroupMember {

  private final String memberId;
  private final @Nullable String instanceId;
  private String clientId;
  private String clientHost;
  private int rebalanceTimeoutMs;
  private int sessionTimeoutMs;
  private List<JoinProtocol> protocols;
  private OpaqueBytes assignment = OpaqueBytes.EMPTY;

  @Nullable CompletableFuture<JoinGroupResult> parkedJoin;
  @Nullable CompletableFuture<SyncGroupResult> parkedSync;

  /** True until the member's first join is answered: it can't send heartbeats before. */
  boolean isNew;

  long sessionDeadlineNs;
  @Nullable Scheduled sessionTimer;

  private GroupMember(
      String memberId,
      @Nullable String instanceId,
      String clientId,
      String clientHost,
      int rebalanceTimeoutMs,
      int sessionTimeoutMs,
      List<JoinProtocol> protocols) {
    this.memberId = memberId;
    this.instanceId = instanceId;
    this.clientId = clientId;
    this.clientHost = clientHost;
    this.rebalanceTimeoutMs = rebalanceTimeoutMs;
    this.sessionTimeoutMs = sessionTimeoutMs;
    this.protocols = protocols;
  }

  /** Makes a member that joins. */
  static GroupMember joining(String memberId, JoinGroupCommand command) {
    GroupMember member =
        new GroupMember(
            memberId,
            command.member().instanceId(),
            command.clientId(),
            command.clientHost(),
            command.rebalanceTimeoutMs(),
            command.sessionTimeoutMs(),
            command.protocols());
    member.isNew = true;
    return member;
  }

  /** Makes a member that a stored group has; only its chosen protocol is known. */
  static GroupMember stored(GroupMetadata.Member stored, String protocol) {
    GroupMember member =
        new GroupMember(
            stored.memberId(),
            stored.instanceId(),
            stored.clientId(),
            stored.clientHost(),
            stored.rebalanceTimeoutMs(),
            stored.sessionTimeoutMs(),
            List.of(new JoinProtocol(protocol, stored.subscription())));
    member.assignment = stored.assignment();
    return member;
  }

  /** Makes the same member under another id, with nothing parked and no timer. */
  GroupMember renamed(String newMemberId) {
    GroupMember member =
        new GroupMember(
            newMemberId,
            instanceId,
            clientId,
            clientHost,
            rebalanceTimeoutMs,
            sessionTimeoutMs,
            protocols);
    member.assignment = assignment;
    return member;
  }

  /** Takes over what a new join says. */
  void update(JoinGroupCommand command) {
    clientId = command.clientId();
    clientHost = command.clientHost();
    rebalanceTimeoutMs = command.rebalanceTimeoutMs();
    sessionTimeoutMs = command.sessionTimeoutMs();
    protocols = command.protocols();
  }

  /** The id that the coordinator gave. */
  public String memberId() {
    return memberId;
  }

  /** The name of a static member, null for a dynamic one. */
  public @Nullable String instanceId() {
    return instanceId;
  }

  /** Whether the member keeps its place over restarts. */
  public boolean isStatic() {
    return instanceId != null;
  }

  /** The client's name for itself. */
  public String clientId() {
    return clientId;
  }

  /** The address of the client. */
  public String clientHost() {
    return clientHost;
  }

  /** How long the group waits for the member in a rebalance, in milliseconds. */
  public int rebalanceTimeoutMs() {
    return rebalanceTimeoutMs;
  }

  /** How long the member may be silent, in milliseconds. */
  public int sessionTimeoutMs() {
    return sessionTimeoutMs;
  }

  /** What the member understands, best first. */
  public List<JoinProtocol> protocols() {
    return protocols;
  }

  /** What the leader gave the member; empty before. */
  public OpaqueBytes assignment() {
    return assignment;
  }

  void assign(OpaqueBytes newAssignment) {
    assignment = newAssignment;
  }

  /** What the member said under a protocol; empty where it does not understand it. */
  public OpaqueBytes metadata(@Nullable String protocol) {
    for (JoinProtocol candidate : protocols) {
      if (candidate.name().equals(protocol)) {
        return candidate.metadata();
      }
    }
    return OpaqueBytes.EMPTY;
  }

  /** The first protocol of the member's list that is a candidate. */
  String vote(Set<String> candidates) {
    for (JoinProtocol protocol : protocols) {
      if (candidates.contains(protocol.name())) {
        return protocol.name();
      }
    }
    throw new IllegalStateException(
        "member %s understands none of %s, which all members should"
            .formatted(memberId, candidates));
  }

  Set<String> protocolNames() {
    Set<String> names = new HashSet<>();
    protocols.forEach(protocol -> names.add(protocol.name()));
    return names;
  }

  /** Whether a join of the member waits for its answer. */
  public boolean isJoining() {
    return parkedJoin != null;
  }

  /** Whether a sync of the member waits for its answer. */
  public boolean isSyncing() {
    return parkedSync != null;
  }

  /** What is stored of the member. */
  GroupMetadata.Member toStored(@Nullable String protocol, OpaqueBytes storedAssignment) {
    return new GroupMetadata.Member(
        memberId,
        instanceId,
        clientId,
        clientHost,
        rebalanceTimeoutMs,
        sessionTimeoutMs,
        metadata(protocol),
        storedAssignment);
  }
}
