package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.bytes;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A client of the model test: it does what a real one does with each answer. */
final class SimulatedMember {

  private static final int HEARTBEAT_MS = 3_000;

  private final GroupTestBed bed;
  private final GroupHistory history;
  final @Nullable String instanceId;
  private final int sessionTimeoutMs;
  private final int rebalanceTimeoutMs;
  private List<JoinProtocol> protocols;
  String memberId = "";
  int generation = -1;
  boolean isStable;
  boolean isFenced;
  @Nullable OpaqueBytes assignment;
  private long nextHeartbeatMs;
  private @Nullable CompletableFuture<JoinGroupResult> join;
  private @Nullable CompletableFuture<SyncGroupResult> sync;

  SimulatedMember(
      GroupTestBed bed,
      GroupHistory history,
      @Nullable String instanceId,
      int sessionTimeoutMs,
      int rebalanceTimeoutMs,
      List<JoinProtocol> protocols) {
    this.bed = bed;
    this.sessionTimeoutMs = sessionTimeoutMs;
    this.rebalanceTimeoutMs = rebalanceTimeoutMs;
    this.history = history;
    this.instanceId = instanceId;
    this.protocols = protocols;
  }

  private MemberIdentity identity() {
    return new MemberIdentity(memberId, instanceId);
  }

  /** Subscribes to something else, and says so at once. */
  void change(List<JoinProtocol> newProtocols) {
    protocols = newProtocols;
    if (isStable) {
      rejoin();
    }
  }

  private void rejoin() {
    isStable = false;
    sync = null;
    JoinGroupCommand command =
        new JoinGroupCommand(
            GroupTestBed.GROUP,
            identity(),
            "client",
            "/host",
            sessionTimeoutMs,
            rebalanceTimeoutMs,
            "consumer",
            protocols,
            true,
            true,
            null);
    join = history.watchJoin(bed.await(bed.coordinator.join(command)), instanceId);
  }

  /** Loses patience, or its connection: what is on its way is forgotten, and asked for again. */
  void askAgain() {
    if (join != null && !memberId.isEmpty()) {
      rejoin();
    } else if (sync != null) {
      sync = bed.sync(identity(), generation, Map.of());
      history.noteSync(sync);
    }
  }

  private void startOver() {
    memberId = "";
    rejoin();
  }

  /** Does what is to be done now. */
  void act() {
    if (isFenced) {
      return;
    }
    CompletableFuture<JoinGroupResult> joining = join;
    CompletableFuture<SyncGroupResult> syncing = sync;
    if (joining != null) {
      if (joining.isDone()) {
        join = null;
        joined(joining.join());
      }
    } else if (syncing != null) {
      if (syncing.isDone()) {
        sync = null;
        synced(syncing.join());
      }
    } else if (!isStable) {
      rejoin();
    } else if (bed.time.elapsedMs() >= nextHeartbeatMs) {
      nextHeartbeatMs = bed.time.elapsedMs() + HEARTBEAT_MS;
      react(bed.heartbeat(identity(), generation));
    }
  }

  private void joined(JoinGroupResult result) {
    if (result.error() == ErrorCode.MEMBER_ID_REQUIRED) {
      memberId = result.memberId();
      rejoin();
    } else if (result.error() != ErrorCode.NONE) {
      react(result.error());
    } else {
      memberId = result.memberId();
      generation = result.generation();
      Map<String, OpaqueBytes> assignments = new HashMap<>();
      if (result.leader().equals(memberId) && !result.skipAssignment()) {
        for (JoinedMember member : result.members()) {
          assignments.put(member.memberId(), assignment(generation, member.memberId()));
        }
      }
      sync = bed.sync(identity(), generation, assignments);
      history.noteSync(sync);
    }
  }

  /** What any leader gives a member: so one can tell where an assignment comes from. */
  static OpaqueBytes assignment(int generation, String memberId) {
    return bytes(generation + ":" + memberId);
  }

  private void synced(SyncGroupResult result) {
    if (result.error() != ErrorCode.NONE) {
      react(result.error());
      return;
    }
    assignment = result.assignment();
    history.checkAssignment(generation, memberId, instanceId, result.assignment());
    isStable = true;
    nextHeartbeatMs = bed.time.elapsedMs() + HEARTBEAT_MS;
  }

  private void react(ErrorCode error) {
    switch (error) {
      case NONE -> {}
      case REBALANCE_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> rejoin();
      case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION -> startOver();
      case FENCED_INSTANCE_ID -> {
        isFenced = true;
        isStable = false;
      }
      default -> throw new AssertionError("a member is told " + error);
    }
  }

  void leave() {
    if (!memberId.isEmpty()) {
      bed.leave(identity());
    }
  }
}
