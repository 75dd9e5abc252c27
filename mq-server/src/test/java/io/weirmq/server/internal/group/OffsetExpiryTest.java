package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_1;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.server.internal.group.records.GroupRecord.GroupRemoved;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.storage.TopicPartition;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * GT-10: when offsets end, and when they do not. Retention is one hour here, checked each minute.
 */
class OffsetExpiryTest {

  private static final long HOUR_MS = 3_600_000;
  private static final long CHECK_MS = 60_000;

  private final GroupTestBed bed =
      new GroupTestBed(
          new GroupConfig(
              new ClassicConfig(6_000, 1_800_000, INITIAL_DELAY_MS, 100),
              new OffsetConfig(4096, HOUR_MS, CHECK_MS)));

  @Test
  @DisplayName("GT-10 offsets of an active group never expire, however long a partition is silent")
  void gt10_offsetsOfActiveGroupsNeverExpire() {
    List<String> members = bed.stableGroup(1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    bed.keepAlive(24 * HOUR_MS, 1, members);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);
    assertThat(bed.state()).isEqualTo("Stable");
  }

  @Test
  @DisplayName("GT-10 the clock of an empty group starts when it became empty")
  void gt10_theClockOfAnEmptyGroupStartsWhenItBecameEmpty() {
    List<String> members = bed.stableGroup(1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    bed.keepAlive(2 * HOUR_MS, 1, members);
    bed.leave(dynamic(members.get(0)));

    bed.pass(HOUR_MS - 1 - CHECK_MS);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);
    bed.pass(2 * CHECK_MS + 1);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    assertThat(bed.log.decoded(0))
        .endsWith(new OffsetRemoved(GROUP, ORDERS_0), new GroupRemoved(GROUP));
  }

  @Test
  @DisplayName("GT-10 the clock goes on over a restart of the broker")
  void gt10_theClockGoesOnOverARestart() {
    List<String> members = bed.stableGroup(1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    bed.leave(dynamic(members.get(0)));
    bed.pass(HOUR_MS / 2);
    bed.coordinator.resign(0);
    bed.lead();
    bed.pass(HOUR_MS / 2 - 1 - CHECK_MS);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);
    bed.pass(2 * CHECK_MS + 1);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
  }

  @Test
  @DisplayName(
      "GT-10 a topic that an active group no longer reads: its offsets end after their own")
  void gt10_offsetsOfTopicsNoLongerReadExpire() {
    List<String> members = bed.stableGroup(1);
    TopicPartition old = new TopicPartition("old", 0);
    bed.commitNow(dynamic(members.get(0)), 1, old, 1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 2);
    bed.keepAlive(HOUR_MS - CHECK_MS, 1, members);
    assertThat(bed.fetch(old)).isEqualTo(1);
    bed.keepAlive(2 * CHECK_MS, 1, members);
    assertThat(bed.fetch(old)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(2);
  }

  @Test
  @DisplayName("GT-10 nothing ends while subscriptions are in motion")
  void gt10_nothingEndsInARebalance() {
    List<String> members = bed.stableGroup(1);
    TopicPartition old = new TopicPartition("old", 0);
    bed.commitNow(dynamic(members.get(0)), 1, old, 1);
    bed.keepAlive(HOUR_MS - CHECK_MS / 2, 1, members);
    bed.join(dynamic(members.get(0)), range("old"));
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
    // The check comes while the rebalance is open, a moment before the session ends.
    for (int i = 0; i < 10; i++) {
      bed.pass(5_000);
      bed.heartbeat(dynamic(members.get(0)), 2);
    }
    assertThat(bed.fetch(old)).isEqualTo(1);
  }

  @Test
  void offsetsWithoutAGroupEndAfterTheirCommit() {
    bed.commitAlone(ORDERS_0, 1);
    bed.pass(HOUR_MS / 2);
    bed.commitAlone(ORDERS_1, 2);
    bed.pass(HOUR_MS / 2 + CHECK_MS);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(2);
    assertThat(bed.state()).isEqualTo("Empty");
    bed.pass(HOUR_MS);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
  }

  @Test
  void anOffsetOfAnEmptyGroupThatIsCommittedAgainLivesOn() {
    List<String> members = bed.stableGroup(1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_1, 1);
    bed.leave(dynamic(members.get(0)));
    bed.pass(HOUR_MS / 2);
    bed.commitAlone(ORDERS_0, 2);
    bed.pass(HOUR_MS / 2 + CHECK_MS);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(2);
  }

  @Test
  void anEndOfItsOwnCounts() {
    commitFor(10 * HOUR_MS, ORDERS_0);
    commitFor(CHECK_MS, ORDERS_1);
    bed.pass(2 * CHECK_MS);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(-1);
    bed.pass(9 * HOUR_MS);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);
    bed.pass(HOUR_MS);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
  }

  private void commitFor(long retentionMs, TopicPartition partition) {
    OffsetCommitCommand command =
        new OffsetCommitCommand(
            GROUP,
            dynamic(""),
            -1,
            retentionMs,
            ErrorCode.ILLEGAL_GENERATION,
            List.of(new OffsetCommitCommand.Offset(partition, 1, -1, "")));
    assertThat(bed.get(bed.coordinator.commit(command)).of(partition)).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void aCommitOnItsWayKeepsTheOffset() {
    bed.commitAlone(ORDERS_0, 1);
    bed.pass(HOUR_MS - CHECK_MS / 2);
    bed.log.hold();
    bed.commit(dynamic(""), -1, ORDERS_0, 2);
    bed.pass(CHECK_MS);
    bed.log.release();
    bed.run();
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(2);
    assertThat(bed.log.decoded(0)).noneMatch(OffsetRemoved.class::isInstance);
  }

  @Test
  @DisplayName("OP-09 a wall clock that jumps by hours ends no offset of a retention of days")
  void op09_wallClockJumpsEndNoOffset() {
    GroupTestBed days = new GroupTestBed();
    days.commitAlone(ORDERS_0, 1);
    days.time.jumpWall(-HOUR_MS);
    days.pass(HOUR_MS);
    days.time.jumpWall(3 * HOUR_MS);
    days.pass(HOUR_MS);
    assertThat(days.fetch(ORDERS_0)).isEqualTo(1);
  }
}
