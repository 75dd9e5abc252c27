package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.SESSION_MS;
import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.offsets.CommittedOffset;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetCommitted;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.server.internal.group.records.GroupRecordCodec;
import io.weirmq.server.internal.group.records.KeyValue;
import io.weirmq.storage.TopicPartition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Taking a partition over, and letting it go. */
class CoordinatorLoadTest {

  private static final int OFFSET_RECORD_COUNT = 100_000;

  @Test
  @DisplayName("GT-08 a restart under a live group: loading until complete, then all as before")
  void gt08_restartUnderALiveGroup() {
    GroupTestBed before = new GroupTestBed();
    fillWithOffsets(before.log);
    List<String> members = before.stableGroup(2);
    before.commitNow(dynamic(members.get(1)), 1, ORDERS_0, 4711);

    GroupTestBed after = new GroupTestBed(GroupConfig.DEFAULTS, before.log);
    before.log.hold();
    CompletableFuture<@Nullable Void> ready = after.lead();
    assertThat(ready).isNotDone();

    // Never "unknown member" or "no offset" in between.
    assertThat(after.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.get(after.coordinator.fetch(GROUP, List.of(ORDERS_0))).error())
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.get(after.join(dynamic(members.get(0)))).error())
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.get(after.sync(dynamic(members.get(0)), 1, Map.of())).error())
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1))
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.leave(dynamic(members.get(0))).error())
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.describe().error()).isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.get(after.coordinator.delete(GROUP)))
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(after.get(after.coordinator.list(Set.of(), Set.of())).error())
        .isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);

    before.log.release();
    after.get(ready);
    assertThat(after.heartbeat(dynamic(members.get(0)), 1)).isEqualTo(ErrorCode.NONE);
    assertThat(after.heartbeat(dynamic(members.get(1)), 1)).isEqualTo(ErrorCode.NONE);
    assertThat(after.fetch(ORDERS_0)).isEqualTo(4711);
    SyncGroupResult assignment = after.get(after.sync(dynamic(members.get(1)), 1, Map.of()));
    assertThat(assignment.assignment()).isEqualTo(bytes("a1"));
    assertThat(after.describe().state()).isEqualTo("Stable");
    for (int i = 0; i < 1_000; i += 97) {
      TopicPartition partition = new TopicPartition("many", i);
      assertThat(after.fetch(partition)).isEqualTo(i % 10 == 3 ? -1 : OFFSET_RECORD_COUNT + i);
    }
    after.keepAlive(5 * SESSION_MS, 1, members);
    assertThat(after.heartbeat(dynamic(members.get(0)), 1)).isEqualTo(ErrorCode.NONE);
  }

  /**
   * 100 values for each of 1000 partitions; the last one counts, each tenth ends in a tombstone.
   */
  private static void fillWithOffsets(MemoryOffsetsLog log) {
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < OFFSET_RECORD_COUNT / 100; i++) {
        TopicPartition partition = new TopicPartition("many", i);
        boolean isLast = round == 99;
        log.records(0)
            .add(
                GroupRecordCodec.encode(
                    isLast && i % 10 == 3
                        ? new OffsetRemoved(GROUP, partition)
                        : new OffsetCommitted(
                            GROUP,
                            partition,
                            new CommittedOffset(
                                isLast ? OFFSET_RECORD_COUNT + i : round, -1, "", 1, -1))));
      }
    }
  }

  @Test
  void aSilentMemberOfARestoredGroupIsRemovedAfterItsSession() {
    GroupTestBed before = new GroupTestBed();
    List<String> members = before.stableGroup(2);
    GroupTestBed after = restarted(before);
    after.keepAlive(SESSION_MS, 1, List.of(members.get(0)));
    assertThat(after.heartbeat(dynamic(members.get(1)), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(after.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    JoinGroupResult joined = after.get(after.join(dynamic(members.get(0))));
    assertThat(joined.generation()).isEqualTo(2);
    assertThat(joined.leader()).isEqualTo(members.get(0));
  }

  @Test
  void aStaticMemberIsKnownByItsNameAfterARestart() {
    GroupTestBed before = new GroupTestBed();
    CompletableFuture<JoinGroupResult> joined = before.join(named("", "i1"));
    before.pass(GroupTestBed.INITIAL_DELAY_MS);
    String memberId = before.get(joined).memberId();
    before.sync(named(memberId, "i1"), 1, Map.of(memberId, bytes("mine")));

    GroupTestBed after = restarted(before);
    JoinGroupResult again = after.get(after.join(named("", "i1")));
    assertThat(again.generation()).isEqualTo(1);
    assertThat(again.skipAssignment()).isTrue();
    assertThat(after.get(after.sync(named(again.memberId(), "i1"), 1, Map.of())).assignment())
        .isEqualTo(bytes("mine"));
  }

  @Test
  void anEmptyGroupKeepsItsGenerationAndADeletedOneIsGone() {
    GroupTestBed before = new GroupTestBed();
    List<String> members = before.stableGroup(1);
    before.leave(dynamic(members.get(0)));
    GroupTestBed after = restarted(before);
    assertThat(after.describe().state()).isEqualTo("Empty");
    assertThat(after.describe().protocolType()).isEqualTo("consumer");
    List<String> next = after.stableGroupFrom(3);
    assertThat(after.heartbeat(dynamic(next.get(0)), 3)).isEqualTo(ErrorCode.NONE);
    after.leave(dynamic(next.get(0)));
    after.get(after.coordinator.delete(GROUP));

    assertThat(restarted(after).describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
  }

  @Test
  void recordsThatCanNotBeReadArePassedOver() {
    MemoryOffsetsLog log = new MemoryOffsetsLog();
    log.records(0).add(new KeyValue(ByteBuffer.wrap(new byte[] {0, 1, 9}), null));
    log.records(0).add(new KeyValue(ByteBuffer.wrap(new byte[] {0, 5, 9}), ByteBuffer.allocate(1)));
    log.records(0)
        .add(
            GroupRecordCodec.encode(
                new OffsetCommitted(GROUP, ORDERS_0, new CommittedOffset(7, -1, "", 1, -1))));
    log.records(0).add(new KeyValue(ByteBuffer.allocate(0), null));

    LoadedShard loaded = new LoadedShard(0);
    log.load(0, loaded);
    loaded.onUnreadableBatch(17, "bad checksum");
    loaded.onRecord(18, null, null);
    assertThat(loaded.unreadableCount()).isEqualTo(4);

    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, log);
    bed.get(bed.lead());
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(7);
  }

  @Test
  void aPartitionThatCanNotBeReadIsTriedAgain() {
    MemoryOffsetsLog log = new MemoryOffsetsLog();
    log.makeUnreadable(true);
    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, log);
    CompletableFuture<@Nullable Void> ready = bed.lead();
    bed.pass(CoordinatorShards.LOAD_RETRY_MS);
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    log.makeUnreadable(false);
    bed.pass(CoordinatorShards.LOAD_RETRY_MS);
    assertThat(ready).isCompleted();
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aPartitionThatCanNeverBeReadIsGivenUp() {
    MemoryOffsetsLog log = new MemoryOffsetsLog();
    log.makeUnreadable(true);
    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, log);
    CompletableFuture<@Nullable Void> ready = bed.lead();
    bed.pass((long) CoordinatorShards.LOAD_RETRY_MS * CoordinatorShards.LOAD_ATTEMPTS_MAX);
    assertThat(ready).isCompletedExceptionally();
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    log.makeUnreadable(false);
    assertThat(bed.lead()).isCompleted();
  }

  @Test
  void st05_aPartitionThatWasGivenUpIsServedOnceItCanBeRead() {
    MemoryOffsetsLog log = new MemoryOffsetsLog();
    log.makeUnreadable(true);
    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, log);
    bed.lead();
    bed.pass((long) CoordinatorShards.LOAD_RETRY_MS * CoordinatorShards.LOAD_ATTEMPTS_MAX);
    bed.pass(2L * CoordinatorShards.FAILED_RETRY_MS);
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    log.makeUnreadable(false);
    bed.pass(CoordinatorShards.FAILED_RETRY_MS);
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void withoutThePartitionNothingIsAnswered() {
    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, new MemoryOffsetsLog());
    assertThat(bed.get(bed.join(dynamic(""))).error()).isEqualTo(ErrorCode.NOT_COORDINATOR);
    assertThat(bed.commitAlone(ORDERS_0, 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    assertThat(bed.get(bed.coordinator.list(Set.of(), Set.of())).groups()).isEmpty();
  }

  @Test
  void lettingAPartitionGoAnswersAllAndStoresNothingMore() {
    GroupTestBed bed = new GroupTestBed();
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> parked = bed.join(dynamic(members.get(0)));
    bed.log.hold();
    var commit = bed.commit(dynamic(members.get(1)), 1, ORDERS_0, 9);
    int recordCount = bed.log.records(0).size();

    bed.coordinator.resign(0);
    assertThat(bed.get(parked).error()).isEqualTo(ErrorCode.NOT_COORDINATOR);
    bed.log.release();
    assertThat(bed.get(commit).of(ORDERS_0)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    bed.pass(10 * SESSION_MS);
    // Only the commit that was on its way has reached the log; no session ends any more.
    assertThat(bed.log.records(0)).hasSize(recordCount + 1);
    assertThat(bed.heartbeat(dynamic(members.get(1)), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
  }

  @Test
  void aPartitionThatIsLetGoWhileItIsReadIsNotTaken() {
    MemoryOffsetsLog log = new MemoryOffsetsLog();
    log.hold();
    GroupTestBed bed = new GroupTestBed(GroupConfig.DEFAULTS, log);
    CompletableFuture<@Nullable Void> ready = bed.lead();
    bed.coordinator.resign(0);
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    assertThat(ready).isCompleted();
    log.release();
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.NOT_COORDINATOR);
  }

  private static GroupTestBed restarted(GroupTestBed before) {
    GroupTestBed after = new GroupTestBed(GroupConfig.DEFAULTS, before.log);
    after.get(after.lead());
    return after;
  }
}
