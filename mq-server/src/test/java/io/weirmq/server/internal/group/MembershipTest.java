package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.REBALANCE_MS;
import static io.weirmq.server.internal.group.GroupTestBed.SESSION_MS;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.named;
import static io.weirmq.server.internal.group.GroupTestBed.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.GroupTestBed.Joining;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult.Leaving;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecord.GroupStored;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Heartbeats, sessions, and going. */
class MembershipTest {

  private final GroupTestBed bed = new GroupTestBed();

  // ---- heartbeats --------------------------------------------------------------------------

  @Test
  void aHeartbeatMustFit() {
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    List<String> members = bed.stableGroup(1);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 1)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 0)).isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    assertThat(bed.heartbeat(dynamic("x"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aHeartbeatWhileCompletingIsFine() {
    Joining first = bed.joinNew();
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
    assertThat(bed.heartbeat(dynamic(first.memberId()), 1)).isEqualTo(ErrorCode.NONE);
  }

  // ---- sessions ----------------------------------------------------------------------------

  @Test
  void aSilentMemberIsRemovedAfterItsSession() {
    List<String> members = bed.stableGroup(2);
    bed.pass(SESSION_MS / 2);
    bed.heartbeat(dynamic(members.get(0)), 1);
    bed.pass(SESSION_MS / 2 - 1);
    assertThat(bed.state()).isEqualTo("Stable");
    bed.pass(1);

    assertThat(bed.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(bed.heartbeat(dynamic(members.get(1)), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.get(bed.join(dynamic(members.get(0)))).members()).hasSize(1);
  }

  @Test
  void theLastSilentMemberLeavesAnEmptyGroupThatIsStored() {
    bed.stableGroup(1);
    bed.pass(SESSION_MS);
    assertThat(bed.state()).isEqualTo("Empty");
    GroupMetadata stored = lastStored();
    assertThat(stored.members()).isEmpty();
    assertThat(stored.generation()).isEqualTo(2);
    assertThat(stored.protocol()).isNull();
    assertThat(stored.leader()).isNull();
    assertThat(stored.protocolType()).isEqualTo("consumer");
  }

  @Test
  void aCommitIsASignOfLife() {
    List<String> members = bed.stableGroup(1);
    for (int i = 0; i < 5; i++) {
      bed.pass(SESSION_MS - 1);
      assertThat(bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, i)).isEqualTo(ErrorCode.NONE);
    }
    assertThat(bed.state()).isEqualTo("Stable");
  }

  @Test
  void aMemberWhoseJoinIsParkedIsAlive() {
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> parked = bed.join(dynamic(members.get(0)));
    for (int i = 0; i < 5; i++) {
      bed.pass(SESSION_MS - 1);
      bed.heartbeat(dynamic(members.get(1)), 1);
    }
    assertThat(parked).isNotDone();
    bed.join(dynamic(members.get(1)));
    assertThat(bed.get(parked).members()).hasSize(2);
    // The session begins anew with the answer.
    bed.pass(SESSION_MS - 1);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 2)).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void aNewMemberIsDroppedWhenItsFirstAnswerTakesTooLong() {
    // A member with a very long rebalance timeout holds the group up.
    Joining slow = slowMember(3_600_000);
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.get(slow.answer()).generation()).isEqualTo(1);
    bed.syncAll(List.of(slow.memberId()), 1);
    CompletableFuture<JoinGroupResult> waiting = bed.joinNew().answer();
    for (int i = 0; i < 300_000 / 5_000; i++) {
      assertThat(waiting).isNotDone();
      bed.heartbeat(dynamic(slow.memberId()), 1);
      bed.pass(5_000);
    }
    assertThat(bed.get(waiting).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  @DisplayName("OP-09 a wall clock that jumps expels nobody and keeps nobody")
  void op09_wallClockJumpsExpelNobody() {
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> waiting = bed.join(dynamic(members.get(1)), range("more"));
    bed.time.jumpWall(-3_600_000);
    bed.pass(SESSION_MS / 2);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    bed.time.jumpWall(2 * 3_600_000);
    bed.pass(SESSION_MS / 2);
    assertThat(waiting).isNotDone();
    assertThat(bed.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);

    JoinGroupResult leader = bed.get(bed.join(dynamic(members.get(0))));
    assertThat(leader.members()).hasSize(2);
    assertThat(bed.get(waiting).generation()).isEqualTo(2);
    bed.syncAll(members, 2);
    bed.time.jumpWall(-3_600_000);
    assertThat(bed.commitNow(dynamic(members.get(0)), 2, ORDERS_0, 7)).isEqualTo(ErrorCode.NONE);
    // Nobody is kept either: the session ends when it should, whatever the wall clock says.
    bed.heartbeat(dynamic(members.get(1)), 2);
    bed.pass(SESSION_MS - 1);
    assertThat(bed.state()).isEqualTo("Stable");
    bed.pass(1);
    assertThat(bed.state()).isEqualTo("Empty");
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(7);
  }

  // ---- leaving -----------------------------------------------------------------------------

  @Test
  void whoLeavesCausesOneRebalance() {
    List<String> members = bed.stableGroup(3);
    assertThat(bed.leave(dynamic(members.get(0)), dynamic("x"), dynamic(members.get(2))).members())
        .containsExactly(
            new Leaving(dynamic(members.get(0)), ErrorCode.NONE),
            new Leaving(dynamic("x"), ErrorCode.UNKNOWN_MEMBER_ID),
            new Leaving(dynamic(members.get(2)), ErrorCode.NONE));
    JoinGroupResult left = bed.get(bed.join(dynamic(members.get(1))));
    assertThat(left.generation()).isEqualTo(2);
    assertThat(left.leader()).isEqualTo(members.get(1));
  }

  @Test
  void theLastOneLeavingEmptiesTheGroup() {
    List<String> members = bed.stableGroup(1);
    bed.leave(dynamic(members.get(0)));
    assertThat(bed.state()).isEqualTo("Empty");
    assertThat(lastStored().generation()).isEqualTo(2);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 2)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void leavingAGroupThatDoesNotExistIsUnknown() {
    LeaveGroupResult left = bed.leave(dynamic("x"));
    assertThat(left.error()).isEqualTo(ErrorCode.NONE);
    assertThat(left.members())
        .singleElement()
        .satisfies(each -> assertThat(each.error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID));
    assertThat(bed.get(bed.coordinator.leave("", List.of())).error())
        .isEqualTo(ErrorCode.INVALID_GROUP_ID);
  }

  @Test
  void aPendingMemberCanLeave() {
    String pending = bed.get(bed.join(dynamic(""))).memberId();
    assertThat(bed.leave(dynamic(pending)).members().get(0).error()).isEqualTo(ErrorCode.NONE);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    assertThat(bed.get(bed.join(dynamic(pending))).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void leavingWhileOthersWaitLetsThemGoOn() {
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> waiting = bed.join(dynamic(members.get(0)));
    assertThat(waiting).isNotDone();
    bed.leave(dynamic(members.get(1)));
    assertThat(bed.get(waiting).members()).hasSize(1);
  }

  @Test
  void theParkedRequestsOfWhoLeavesAreAnswered() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.leave(dynamic(first.memberId()));
    assertThat(bed.get(first.answer()).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    bed.pass(2 * INITIAL_DELAY_MS);
    assertThat(bed.get(second.answer()).leader()).isEqualTo(second.memberId());

    CompletableFuture<SyncGroupResult> parked = syncParked(second);
    bed.leave(dynamic(second.memberId()));
    assertThat(bed.get(parked).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  private CompletableFuture<SyncGroupResult> syncParked(Joining member) {
    bed.log.hold();
    CompletableFuture<SyncGroupResult> parked = bed.sync(dynamic(member.memberId()), 1, Map.of());
    assertThat(parked).isNotDone();
    return parked;
  }

  @Test
  void closingAnswersWhatIsParkedAndLeavesNoTimer() {
    Joining first = bed.joinNew();
    bed.pass(INITIAL_DELAY_MS);
    bed.log.hold();
    CompletableFuture<SyncGroupResult> sync = bed.sync(dynamic(first.memberId()), 1, Map.of());
    CompletableFuture<JoinGroupResult> otherGroup =
        bed.await(
            bed.coordinator.join(
                new JoinGroupCommand(
                    "other",
                    dynamic(""),
                    "c",
                    "h",
                    SESSION_MS,
                    REBALANCE_MS,
                    "consumer",
                    range("orders"),
                    false,
                    false,
                    null)));

    bed.coordinator.close();
    assertThat(bed.get(sync).error()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    assertThat(bed.get(otherGroup).error()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    bed.log.release();
    // The check for expired offsets is the one task left; it ends by itself.
    assertThat(bed.time.waitingTaskCount()).isEqualTo(1);
    bed.pass(600_000);
    assertThat(bed.time.waitingTaskCount()).isZero();
    assertThat(bed.heartbeat(dynamic(first.memberId()), 1))
        .isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  }

  // ---- one rebalance for one trigger ---------------------------------------------------------

  @Test
  @DisplayName("GT-09 a second member joins a busy one: one rebalance, then stable")
  void gt09_secondMemberJoinsABusyOne() {
    List<String> members = bed.stableGroup(1);
    String busy = members.get(0);
    Joining second = bed.joinNew();
    // The first one processes for long: heartbeats, but no join, and its commits are accepted.
    for (int i = 0; i < 8; i++) {
      bed.pass(5_000);
      assertThat(bed.heartbeat(dynamic(busy), 1)).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
      assertThat(bed.commitNow(dynamic(busy), 1, ORDERS_0, i)).isEqualTo(ErrorCode.NONE);
    }
    assertThat(second.answer()).isNotDone();

    JoinGroupResult leader = bed.get(bed.join(dynamic(busy)));
    assertThat(leader.generation()).isEqualTo(2);
    assertThat(leader.leader()).isEqualTo(busy);
    assertThat(bed.get(second.answer()).generation()).isEqualTo(2);
    bed.syncAll(List.of(busy, second.memberId()), 2);

    bed.keepAlive(5 * REBALANCE_MS, 2, List.of(busy, second.memberId()));
    assertThat(bed.state()).isEqualTo("Stable");
    assertThat(bed.heartbeat(dynamic(busy), 2)).isEqualTo(ErrorCode.NONE);
  }

  private GroupMetadata lastStored() {
    List<GroupRecord> records = bed.log.decoded(0);
    for (int i = records.size() - 1; i >= 0; i--) {
      if (records.get(i) instanceof GroupStored stored) {
        return stored.metadata();
      }
    }
    throw new AssertionError("no group is stored");
  }

  private Joining slowMember(int rebalanceTimeoutMs) {
    String memberId = bed.get(bed.join(dynamic(""))).memberId();
    return new Joining(
        memberId,
        bed.await(
            bed.coordinator.join(
                new JoinGroupCommand(
                    GROUP,
                    dynamic(memberId),
                    "c",
                    "h",
                    SESSION_MS,
                    rebalanceTimeoutMs,
                    "consumer",
                    range("orders"),
                    true,
                    true,
                    null))));
  }

  @Test
  void anAdministratorRemovesAStaticMemberByItsName() {
    CompletableFuture<JoinGroupResult> joined = bed.join(named("", "i1"));
    bed.pass(INITIAL_DELAY_MS);
    String memberId = bed.get(joined).memberId();
    assertThat(bed.leave(named("", "i2"), named("", "i1")).members())
        .extracting(Leaving::error)
        .containsExactly(ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NONE);
    assertThat(bed.heartbeat(named(memberId, "i1"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.state()).isEqualTo("Empty");
  }
}
