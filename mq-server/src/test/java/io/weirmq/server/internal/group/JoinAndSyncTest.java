package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.REBALANCE_MS;
import static io.weirmq.server.internal.group.GroupTestBed.SESSION_MS;
import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.joinCommand;
import static io.weirmq.server.internal.group.GroupTestBed.named;
import static io.weirmq.server.internal.group.GroupTestBed.range;
import static io.weirmq.server.internal.group.GroupTestBed.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.GroupTestBed.Joining;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.group.records.GroupRecord;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Joins, the choice of protocol, syncs, and the waits in between. */
class JoinAndSyncTest {

  private final GroupTestBed bed = new GroupTestBed();

  // ---- ids ---------------------------------------------------------------------------------

  @Test
  void aNewMemberIsSentAwayWithAnIdAndLetInWithIt() {
    JoinGroupResult first = bed.get(bed.join(dynamic("")));

    assertThat(first.error()).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
    assertThat(first.memberId()).isEqualTo("client-00000000-0000-0000-0000-000000000001");
    assertThat(first.generation()).isEqualTo(-1);

    CompletableFuture<JoinGroupResult> second = bed.join(dynamic(first.memberId()));
    assertThat(second).isNotDone();
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.get(second))
        .isEqualTo(
            new JoinGroupResult(
                ErrorCode.NONE,
                first.memberId(),
                1,
                "consumer",
                "range",
                first.memberId(),
                false,
                List.of(new JoinedMember(first.memberId(), null, subscription("orders")))));
  }

  @Test
  void anOldClientIsLetInAtOnce() {
    CompletableFuture<JoinGroupResult> joined = join(command("", "range"), false);
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.get(joined).generation()).isEqualTo(1);
  }

  @Test
  void anIdThatWasNotUsedIsForgotten() {
    String memberId = bed.get(bed.join(dynamic(""))).memberId();
    bed.pass(SESSION_MS);

    assertThat(bed.get(bed.join(dynamic(memberId))).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
  }

  @Test
  void anIdThatNobodyGaveIsUnknown() {
    assertThat(bed.get(bed.join(dynamic("x"))).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    bed.stableGroup(1);
    assertThat(bed.get(bed.join(dynamic("x"))).error()).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  // ---- what is refused ---------------------------------------------------------------------

  @Test
  void sessionsMustLieWithinTheBrokersLimits() {
    assertThat(bed.get(join(withSession(5_999), true)).error())
        .isEqualTo(ErrorCode.INVALID_SESSION_TIMEOUT);
    assertThat(bed.get(join(withSession(1_800_001), true)).error())
        .isEqualTo(ErrorCode.INVALID_SESSION_TIMEOUT);
    assertThat(bed.get(join(withSession(6_000), true)).error())
        .isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
  }

  @Test
  void aGroupMustHaveAName() {
    JoinGroupCommand command =
        new JoinGroupCommand(
            "", dynamic(""), "c", "h", SESSION_MS, 1, "consumer", range("t"), true, true, null);
    assertThat(bed.get(bed.coordinator.join(command)).error())
        .isEqualTo(ErrorCode.INVALID_GROUP_ID);
  }

  @Test
  void membersMustBeOfOneKindAndHaveAProtocolInCommon() {
    bed.stableGroup(1);

    JoinGroupCommand otherKind =
        new JoinGroupCommand(
            GROUP,
            dynamic(""),
            "c",
            "h",
            SESSION_MS,
            REBALANCE_MS,
            "connect",
            range("orders"),
            true,
            true,
            null);
    assertThat(bed.get(bed.coordinator.join(otherKind)).error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(bed.get(bed.join(dynamic(""), protocols("sticky"))).error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(bed.get(bed.join(dynamic(""), List.of())).error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
  }

  @Test
  void anEmptyGroupNeedsAKindAndAProtocol() {
    assertThat(bed.get(bed.join(dynamic(""), List.of())).error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
  }

  @Test
  void namesThatCanNotBeStoredAreRefused() {
    assertThat(bed.get(bed.join(named("", "i".repeat(10_001)))).error())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    JoinGroupCommand longGroup =
        new JoinGroupCommand(
            "g".repeat(10_001),
            dynamic(""),
            "c",
            "h",
            SESSION_MS,
            1,
            "consumer",
            range("t"),
            true,
            true,
            null);
    assertThat(bed.get(bed.coordinator.join(longGroup)).error())
        .isEqualTo(ErrorCode.INVALID_GROUP_ID);
  }

  @Test
  void aFullGroupTakesNobodyIn() {
    GroupTestBed small =
        new GroupTestBed(
            new GroupConfig(
                new ClassicConfig(6_000, 1_800_000, INITIAL_DELAY_MS, 2), OffsetConfig.DEFAULTS));
    List<String> members = small.stableGroup(2);

    assertThat(small.get(small.join(dynamic(""))).error())
        .isEqualTo(ErrorCode.GROUP_MAX_SIZE_REACHED);
    assertThat(small.heartbeat(dynamic(members.get(0)), 1)).isEqualTo(ErrorCode.NONE);
    small.leave(dynamic(members.get(0)));
    assertThat(small.get(small.join(dynamic(""))).error()).isEqualTo(ErrorCode.MEMBER_ID_REQUIRED);
  }

  // ---- the first rebalance -----------------------------------------------------------------

  @Test
  @DisplayName("the initial delay is extended by each new member, but not beyond the rebalance")
  void initialDelayIsExtended() {
    Joining first = bed.joinNew();
    for (int i = 0; i < REBALANCE_MS / INITIAL_DELAY_MS - 1; i++) {
      bed.pass(INITIAL_DELAY_MS - 1);
      assertThat(bed.joinNew().answer()).isNotDone();
      bed.pass(1);
      assertThat(first.answer()).isNotDone();
    }
    bed.joinNew();
    bed.pass(INITIAL_DELAY_MS);
    JoinGroupResult joined = bed.get(first.answer());
    assertThat(joined.generation()).isEqualTo(1);
    assertThat(joined.members()).hasSize(REBALANCE_MS / INITIAL_DELAY_MS + 1);
  }

  @Test
  void withoutADelayTheFirstMemberIsAnsweredAtOnce() {
    GroupTestBed quick =
        new GroupTestBed(
            new GroupConfig(new ClassicConfig(6_000, 1_800_000, 0, 10), OffsetConfig.DEFAULTS));
    assertThat(quick.get(quick.joinNew().answer()).generation()).isEqualTo(1);
  }

  @Test
  void onlyTheLeaderIsToldOfTheOthers() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);

    JoinGroupResult leader = bed.get(first.answer());
    JoinGroupResult follower = bed.get(second.answer());
    assertThat(leader.leader()).isEqualTo(first.memberId());
    assertThat(leader.members())
        .extracting(JoinedMember::memberId)
        .containsExactly(first.memberId(), second.memberId());
    assertThat(follower.leader()).isEqualTo(first.memberId());
    assertThat(follower.members()).isEmpty();
    assertThat(follower.generation()).isEqualTo(leader.generation()).isEqualTo(1);
  }

  @Test
  void theProtocolWithMostVotesAmongTheCommonOnesWins() {
    Joining first = bed.joinNew(protocols("range", "sticky", "mine"));
    Joining second = bed.joinNew(protocols("sticky", "range"));
    Joining third = bed.joinNew(protocols("other", "sticky", "range"));
    bed.pass(3 * INITIAL_DELAY_MS);

    assertThat(List.of(first, second, third))
        .allSatisfy(m -> assertThat(bed.get(m.answer()).protocolName()).isEqualTo("sticky"));
    assertThat(bed.get(first.answer()).members())
        .extracting(JoinedMember::metadata)
        .containsOnly(bytes("of sticky"));
  }

  // ---- sync --------------------------------------------------------------------------------

  @Test
  void assignmentsAreHandedOutWhenTheyAreStoredAndNotBefore() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);

    bed.log.hold();
    CompletableFuture<SyncGroupResult> follower = bed.sync(dynamic(second.memberId()), 1, Map.of());
    CompletableFuture<SyncGroupResult> leader =
        bed.sync(
            dynamic(first.memberId()),
            1,
            Map.of(first.memberId(), bytes("one"), second.memberId(), bytes("two")));
    bed.run();
    assertThat(follower).isNotDone();
    assertThat(leader).isNotDone();
    assertThat(bed.state()).isEqualTo("CompletingRebalance");

    bed.log.release();
    assertThat(bed.get(leader).assignment()).isEqualTo(bytes("one"));
    assertThat(bed.get(follower).assignment()).isEqualTo(bytes("two"));
    assertThat(bed.state()).isEqualTo("Stable");
    GroupRecord record = bed.log.decoded(0).get(0);
    assertThat(record)
        .isInstanceOfSatisfying(
            GroupRecord.GroupStored.class,
            stored -> {
              assertThat(stored.metadata().generation()).isEqualTo(1);
              assertThat(stored.metadata().leader()).isEqualTo(first.memberId());
              assertThat(stored.metadata().members())
                  .extracting(GroupMetadata.Member::assignment)
                  .containsExactly(bytes("one"), bytes("two"));
            });
  }

  @Test
  void whoIsGivenNothingGetsNoBytes() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);
    bed.sync(dynamic(first.memberId()), 1, Map.of(first.memberId(), bytes("all")));

    SyncGroupResult nothing = bed.get(bed.sync(dynamic(second.memberId()), 1, Map.of()));
    assertThat(nothing.error()).isEqualTo(ErrorCode.NONE);
    assertThat(nothing.assignment()).isEqualTo(OpaqueBytes.EMPTY);
  }

  @Test
  void aStableGroupTellsAnAssignmentAgain() {
    List<String> members = bed.stableGroup(2);
    assertThat(bed.get(bed.sync(dynamic(members.get(1)), 1, Map.of())).assignment())
        .isEqualTo(bytes("a1"));
  }

  @Test
  void syncsThatDoNotFitAreRefused() {
    List<String> members = bed.stableGroup(1);
    assertThat(bed.get(bed.sync(dynamic("x"), 1, Map.of())).error())
        .isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.get(bed.sync(dynamic(members.get(0)), 2, Map.of())).error())
        .isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    assertThat(syncAs(members.get(0), "connect", "range").error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(syncAs(members.get(0), "consumer", "sticky").error())
        .isEqualTo(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    assertThat(syncAs(members.get(0), "consumer", "range").error()).isEqualTo(ErrorCode.NONE);
    assertThat(syncAs(members.get(0), null, null).error()).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void anAssignmentThatCanNotBeStoredCausesAnotherRebalance() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);
    CompletableFuture<SyncGroupResult> follower = bed.sync(dynamic(second.memberId()), 1, Map.of());

    bed.log.failAppendsWith(ErrorCode.NOT_ENOUGH_REPLICAS);
    SyncGroupResult leader = bed.get(bed.sync(dynamic(first.memberId()), 1, Map.of()));
    assertThat(leader.error()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    assertThat(bed.get(follower).error()).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    assertThat(bed.state()).isEqualTo("PreparingRebalance");

    bed.log.failAppendsWith(ErrorCode.NONE);
    CompletableFuture<JoinGroupResult> again = bed.join(dynamic(first.memberId()));
    bed.join(dynamic(second.memberId()));
    assertThat(bed.get(again).generation()).isEqualTo(2);
    bed.syncAll(List.of(first.memberId(), second.memberId()), 2);
  }

  @Test
  void aJoinWhileCompletingAnswersTheParkedSyncs() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);
    CompletableFuture<SyncGroupResult> parked = bed.sync(dynamic(second.memberId()), 1, Map.of());
    assertThat(parked).isNotDone();

    Joining third = bed.joinNew();
    assertThat(bed.get(parked).error()).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(bed.get(bed.sync(dynamic(first.memberId()), 1, Map.of())).error())
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);

    bed.join(dynamic(second.memberId()));
    CompletableFuture<JoinGroupResult> last = bed.join(dynamic(first.memberId()));
    assertThat(bed.get(last).members()).hasSize(3);
    assertThat(bed.get(third.answer()).generation()).isEqualTo(2);
  }

  @Test
  void aLateStoreOfAnOldGenerationChangesNothing() {
    Joining first = bed.joinNew();
    bed.pass(INITIAL_DELAY_MS);
    bed.log.hold();
    CompletableFuture<SyncGroupResult> old =
        bed.sync(dynamic(first.memberId()), 1, Map.of(first.memberId(), bytes("old")));
    Joining second = bed.joinNew();
    assertThat(bed.get(old).error()).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    CompletableFuture<JoinGroupResult> again = bed.join(dynamic(first.memberId()));
    assertThat(bed.get(again).generation()).isEqualTo(2);

    bed.log.release();
    bed.run();
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
    bed.syncAll(List.of(first.memberId(), second.memberId()), 2);
  }

  @Test
  void whoDoesNotSyncInTimeIsRemoved() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);
    CompletableFuture<SyncGroupResult> leader =
        bed.sync(
            dynamic(first.memberId()),
            1,
            Map.of(first.memberId(), bytes("1"), second.memberId(), bytes("2")));
    assertThat(bed.get(leader).error()).isEqualTo(ErrorCode.NONE);

    bed.keepAlive(REBALANCE_MS, 1, List.of(first.memberId(), second.memberId()));

    assertThat(bed.heartbeat(dynamic(first.memberId()), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(bed.heartbeat(dynamic(second.memberId()), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.get(bed.join(dynamic(first.memberId()))).generation()).isEqualTo(2);
  }

  // ---- joining again -----------------------------------------------------------------------

  @Test
  void aFollowerThatAsksAgainUnchangedIsToldThePresentGeneration() {
    List<String> members = bed.stableGroup(2);
    JoinGroupResult again = bed.get(bed.join(dynamic(members.get(1))));
    assertThat(again.generation()).isEqualTo(1);
    assertThat(again.leader()).isEqualTo(members.get(0));
    assertThat(again.members()).isEmpty();
    assertThat(bed.state()).isEqualTo("Stable");
  }

  @Test
  void aFollowerThatHasChangedCausesARebalance() {
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> again =
        bed.join(dynamic(members.get(1)), range("orders", "more"));
    assertThat(again).isNotDone();
    assertThat(bed.heartbeat(dynamic(members.get(0)), 1))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    JoinGroupResult leader = bed.get(bed.join(dynamic(members.get(0))));
    assertThat(bed.get(again).generation()).isEqualTo(2);
    assertThat(leader.members().get(1).metadata()).isEqualTo(subscription("orders", "more"));
  }

  @Test
  void aLeaderThatJoinsAgainAlwaysCausesARebalanceAndKeepsTheLead() {
    List<String> members = bed.stableGroup(2);
    CompletableFuture<JoinGroupResult> leader = bed.join(dynamic(members.get(0)));
    assertThat(bed.state()).isEqualTo("PreparingRebalance");
    JoinGroupResult follower = bed.get(bed.join(dynamic(members.get(1))));
    assertThat(follower.leader()).isEqualTo(members.get(0));
    assertThat(bed.get(leader).leader()).isEqualTo(members.get(0));
  }

  @Test
  void aMemberWhoseAnswerWasLostIsToldTheGenerationAgain() {
    Joining first = bed.joinNew();
    Joining second = bed.joinNew();
    bed.pass(2 * INITIAL_DELAY_MS);

    JoinGroupResult leader = bed.get(bed.join(dynamic(first.memberId())));
    JoinGroupResult follower = bed.get(bed.join(dynamic(second.memberId())));
    assertThat(leader.generation()).isEqualTo(1);
    assertThat(leader.members()).hasSize(2);
    assertThat(follower.generation()).isEqualTo(1);
    assertThat(follower.members()).isEmpty();
  }

  @Test
  void aLaterJoinOfAMemberAnswersTheEarlierOne() {
    Joining first = bed.joinNew();
    CompletableFuture<JoinGroupResult> later = bed.join(dynamic(first.memberId()));
    assertThat(bed.get(first.answer()).error()).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    bed.pass(2 * INITIAL_DELAY_MS);
    assertThat(bed.get(later).generation()).isEqualTo(1);
  }

  @Test
  void theGroupWaitsForAllAndDropsWhoDoesNotCome() {
    List<String> members = bed.stableGroup(3);
    CompletableFuture<JoinGroupResult> second = bed.join(dynamic(members.get(1)), range("more"));
    CompletableFuture<JoinGroupResult> third = bed.join(dynamic(members.get(2)));
    // The first one only sends heartbeats, and never joins.
    for (int i = 0; i < REBALANCE_MS / 5_000 - 1; i++) {
      bed.pass(5_000);
      assertThat(bed.heartbeat(dynamic(members.get(0)), 1))
          .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    }
    assertThat(second).isNotDone();
    bed.pass(5_000);

    JoinGroupResult leader = bed.get(second);
    assertThat(leader.generation()).isEqualTo(2);
    assertThat(leader.leader()).isEqualTo(members.get(1));
    assertThat(leader.members()).hasSize(2);
    assertThat(bed.get(third).generation()).isEqualTo(2);
    assertThat(bed.heartbeat(dynamic(members.get(0)), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aRebalanceWaitsForWhoWasGivenAnId() {
    List<String> members = bed.stableGroup(1);
    String pending = bed.get(bed.join(dynamic(""))).memberId();
    assertThat(bed.state()).isEqualTo("Stable");
    CompletableFuture<JoinGroupResult> leader = bed.join(dynamic(members.get(0)));
    assertThat(leader).isNotDone();
    CompletableFuture<JoinGroupResult> follower = bed.join(dynamic(pending));
    assertThat(bed.get(leader).members()).hasSize(2);
    assertThat(bed.get(follower).generation()).isEqualTo(2);
  }

  // ---- fixtures ----------------------------------------------------------------------------

  private static List<JoinProtocol> protocols(String... names) {
    return java.util.Arrays.stream(names)
        .map(name -> new JoinProtocol(name, bytes("of " + name)))
        .toList();
  }

  private static JoinGroupCommand command(String memberId, String protocol) {
    return joinCommand(dynamic(memberId), protocols(protocol));
  }

  private CompletableFuture<JoinGroupResult> join(JoinGroupCommand command, boolean idRequired) {
    return bed.await(
        bed.coordinator.join(
            new JoinGroupCommand(
                command.groupId(),
                command.member(),
                command.clientId(),
                command.clientHost(),
                command.sessionTimeoutMs(),
                command.rebalanceTimeoutMs(),
                command.protocolType(),
                command.protocols(),
                idRequired,
                idRequired,
                null)));
  }

  private static JoinGroupCommand withSession(int sessionTimeoutMs) {
    return new JoinGroupCommand(
        GROUP,
        dynamic(""),
        "c",
        "h",
        sessionTimeoutMs,
        REBALANCE_MS,
        "consumer",
        range("orders"),
        true,
        true,
        null);
  }

  private SyncGroupResult syncAs(String memberId, @Nullable String type, @Nullable String name) {
    return bed.get(
        bed.coordinator.sync(
            new SyncGroupCommand(GROUP, dynamic(memberId), 1, type, name, Map.of())));
  }
}
