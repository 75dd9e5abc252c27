package io.weirmq.server.internal.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.message.GroupDescription;
import io.weirmq.server.internal.group.message.HeartbeatCommand;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.storage.TopicPartition;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator whose time, log and thread are in the hands of a test. Its members speak the
 * protocol by the coordinator's commands; one partition holds all groups.
 */
final class GroupTestBed {

  static final String GROUP = "g";
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 60_000;
  static final int INITIAL_DELAY_MS = 3_000;
  static final TopicPartition ORDERS_0 = new TopicPartition("orders", 0);
  static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);

  final VirtualTime time = new VirtualTime();
  final MemoryOffsetsLog log;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  final GroupCoordinator coordinator;
  private long nextUuid = 1;
  private boolean isRunning;

  GroupTestBed() {
    this(
        new GroupConfig(
            new ClassicConfig(6_000, 1_800_000, INITIAL_DELAY_MS, Integer.MAX_VALUE),
            OffsetConfig.DEFAULTS));
  }

  GroupTestBed(GroupConfig config) {
    this(config, new MemoryOffsetsLog());
    lead();
  }

  /** A coordinator over a log that may hold something; it leads nothing yet. */
  GroupTestBed(GroupConfig config, MemoryOffsetsLog log) {
    this.log = log;
    this.coordinator =
        new GroupCoordinator(
            config,
            log,
            () -> 1,
            tasks::add,
            time,
            time.wall(),
            time::nanos,
            () -> new UUID(0, nextUuid++));
    coordinator.start();
  }

  CompletableFuture<@Nullable Void> lead() {
    return await(coordinator.lead(0));
  }

  // ---- time and thread ---------------------------------------------------------------------

  /** Runs all that the coordinator's thread has to do now. */
  void run() {
    if (isRunning) {
      return;
    }
    isRunning = true;
    Runnable task = tasks.poll();
    while (task != null) {
      task.run();
      task = tasks.poll();
    }
    isRunning = false;
  }

  /** Lets time pass, and runs what falls due. */
  void pass(long ms) {
    run();
    long limitMs = time.elapsedMs() + ms;
    Runnable due = time.nextUntil(limitMs);
    while (due != null) {
      due.run();
      run();
      due = time.nextUntil(limitMs);
    }
  }

  <T> CompletableFuture<T> await(CompletionStage<T> stage) {
    run();
    return stage.toCompletableFuture();
  }

  /** What a stage has been answered by now. */
  <T> T get(CompletionStage<T> stage) {
    run();
    CompletableFuture<T> future = stage.toCompletableFuture();
    assertThat(future).as("an answer by now").isDone();
    return future.join();
  }

  // ---- requests ----------------------------------------------------------------------------

  static OpaqueBytes bytes(String text) {
    return OpaqueBytes.of(text.getBytes(UTF_8));
  }

  /** A consumer's metadata, with the topics that it reads. */
  static OpaqueBytes subscription(String... topics) {
    ByteBuffer buffer = ByteBuffer.allocate(1_000).putShort((short) 1).putInt(topics.length);
    for (String topic : topics) {
      byte[] name = topic.getBytes(UTF_8);
      buffer.putShort((short) name.length).put(name);
    }
    // No user data, no owned partitions.
    buffer.putInt(-1).putInt(0).flip();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return OpaqueBytes.of(bytes);
  }

  static List<JoinProtocol> range(String... topics) {
    return List.of(new JoinProtocol("range", subscription(topics)));
  }

  static MemberIdentity dynamic(String memberId) {
    return new MemberIdentity(memberId, null);
  }

  static MemberIdentity named(String memberId, String instanceId) {
    return new MemberIdentity(memberId, instanceId);
  }

  static JoinGroupCommand joinCommand(MemberIdentity member, List<JoinProtocol> protocols) {
    return new JoinGroupCommand(
        GROUP,
        member,
        "client",
        "/127.0.0.1",
        SESSION_MS,
        REBALANCE_MS,
        "consumer",
        protocols,
        true,
        true,
        null);
  }

  CompletableFuture<JoinGroupResult> join(MemberIdentity member) {
    return join(member, range("orders"));
  }

  CompletableFuture<JoinGroupResult> join(MemberIdentity member, List<JoinProtocol> protocols) {
    return await(coordinator.join(joinCommand(member, protocols)));
  }

  /** Gets an id for a new dynamic member, and joins with it. */
  Joining joinNew() {
    return joinNew(range("orders"));
  }

  Joining joinNew(List<JoinProtocol> protocols) {
    JoinGroupResult first = get(join(dynamic(""), protocols));
    assertThat(first.error()).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
    return new Joining(first.memberId(), join(dynamic(first.memberId()), protocols));
  }

  /** A member whose join is on its way. */
  record Joining(String memberId, CompletableFuture<JoinGroupResult> answer) {}

  CompletableFuture<SyncGroupResult> sync(
      MemberIdentity member, int generation, Map<String, OpaqueBytes> assignments) {
    return await(
        coordinator.sync(new SyncGroupCommand(GROUP, member, generation, null, null, assignments)));
  }

  ErrorCode heartbeat(MemberIdentity member, int generation) {
    return get(coordinator.heartbeat(new HeartbeatCommand(GROUP, member, generation)));
  }

  LeaveGroupResult leave(MemberIdentity... members) {
    List<LeavingMember> leaving =
        Stream.of(members).map(member -> new LeavingMember(member, "done")).toList();
    return get(coordinator.leave(GROUP, leaving));
  }

  CompletableFuture<PartitionErrors> commit(
      MemberIdentity member, int generation, TopicPartition partition, long offset) {
    return await(
        coordinator.commit(
            new OffsetCommitCommand(
                GROUP,
                member,
                generation,
                -1,
                ErrorCode.ILLEGAL_GENERATION,
                List.of(new OffsetCommitCommand.Offset(partition, offset, 5, "note")))));
  }

  ErrorCode commitNow(
      MemberIdentity member, int generation, TopicPartition partition, long offset) {
    return get(commit(member, generation, partition, offset)).of(partition);
  }

  /** Commits without membership. */
  ErrorCode commitAlone(TopicPartition partition, long offset) {
    return commitNow(dynamic(""), -1, partition, offset);
  }

  long fetch(TopicPartition partition) {
    return get(coordinator.fetch(GROUP, List.of(partition))).offsets().get(0).offset();
  }

  GroupDescription describe() {
    return get(coordinator.describe(GROUP));
  }

  String state() {
    return describe().state();
  }

  // ---- whole conversations -----------------------------------------------------------------

  /**
   * Brings a new group with some dynamic members to {@code Stable}; member i has the assignment
   * {@code "ai"}, the first one leads.
   *
   * @return the ids of the members
   */
  List<String> stableGroup(int memberCount) {
    List<Joining> joining = new ArrayList<>();
    for (int i = 0; i < memberCount; i++) {
      joining.add(joinNew());
    }
    pass(2 * INITIAL_DELAY_MS);
    List<String> memberIds = joining.stream().map(Joining::memberId).toList();
    int generation = get(joining.get(0).answer()).generation();
    syncAll(memberIds, generation);
    return memberIds;
  }

  /** Joins and syncs one new member into an empty group, and expects a generation. */
  List<String> stableGroupFrom(int generation) {
    List<String> memberIds = stableGroup(1);
    assertThat(heartbeat(dynamic(memberIds.get(0)), generation)).isEqualTo(ErrorCode.NONE);
    return memberIds;
  }

  /** All members sync; the first one leads and gives member i {@code "ai"}. */
  void syncAll(List<String> memberIds, int generation) {
    Map<String, OpaqueBytes> assignments = new HashMap<>();
    for (int i = 0; i < memberIds.size(); i++) {
      assignments.put(memberIds.get(i), bytes("a" + i));
    }
    for (int i = 0; i < memberIds.size(); i++) {
      Map<String, OpaqueBytes> brought = i == 0 ? assignments : Map.of();
      CompletableFuture<SyncGroupResult> answer =
          sync(dynamic(memberIds.get(i)), generation, brought);
      assertThat(get(answer))
          .isEqualTo(new SyncGroupResult(ErrorCode.NONE, "consumer", "range", bytes("a" + i)));
    }
  }

  /** Sends heartbeats for some time, well within the session. */
  void keepAlive(long ms, int generation, List<String> memberIds) {
    for (long passedMs = 0; passedMs < ms; passedMs += SESSION_MS / 2) {
      memberIds.forEach(memberId -> heartbeat(dynamic(memberId), generation));
      pass(Math.min(SESSION_MS / 2, ms - passedMs));
    }
  }
}
