package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.SESSION_MS;
import static io.weirmq.server.internal.group.GroupTestBed.bytes;
import static io.weirmq.server.internal.group.GroupTestBed.joinCommand;
import static io.weirmq.server.internal.group.GroupTestBed.named;
import static io.weirmq.server.internal.group.GroupTestBed.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.LeaveGroupResult.Leaving;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.group.records.GroupMetadata;
import io.weirmq.server.internal.group.records.GroupRecord;
import io.weirmq.server.internal.group.records.GroupRecord.GroupStored;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Members that keep their place over restarts. */
class StaticMemberTest {

  private final GroupTestBed bed = new GroupTestBed();
  private String leader = "";
  private String follower = "";

  /** A stable group of i1, which leads and has "one", and i2, which has "two". */
  @BeforeEach
  void stable() {
    CompletableFuture<JoinGroupResult> first = bed.join(named("", "i1"));
    CompletableFuture<JoinGroupResult> second = bed.join(named("", "i2"));
    bed.pass(2 * INITIAL_DELAY_MS);
    leader = bed.get(first).memberId();
    follower = bed.get(second).memberId();
    assertThat(leader).startsWith("i1-");
    assertThat(bed.get(first).members())
        .extracting(JoinedMember::instanceId)
        .containsExactly("i1", "i2");
    bed.sync(named(leader, "i1"), 1, Map.of(leader, bytes("one"), follower, bytes("two")));
    bed.sync(named(follower, "i2"), 1, Map.of());
    assertThat(bed.state()).isEqualTo("Stable");
  }

  @Test
  @DisplayName("GT-09 a static member that comes back in time causes no rebalance")
  void gt09_aStaticMemberThatComesBackCausesNoRebalance() {
    JoinGroupResult again = bed.get(bed.join(named("", "i2")));

    assertThat(again.error()).isEqualTo(ErrorCode.NONE);
    assertThat(again.generation()).isEqualTo(1);
    assertThat(again.memberId()).startsWith("i2-").isNotEqualTo(follower);
    assertThat(again.leader()).isEqualTo(leader);
    assertThat(again.skipAssignment()).isFalse();
    assertThat(again.members()).isEmpty();
    assertThat(bed.state()).isEqualTo("Stable");
    assertThat(bed.get(bed.sync(named(again.memberId(), "i2"), 1, Map.of())).assignment())
        .isEqualTo(bytes("two"));
    assertThat(bed.heartbeat(named(leader, "i1"), 1)).isEqualTo(ErrorCode.NONE);
    assertThat(lastStored().members())
        .extracting(GroupMetadata.Member::memberId)
        .containsExactlyInAnyOrder(leader, again.memberId());
  }

  @Test
  void theOldIdIsFencedEverywhere() {
    bed.join(named("", "i2"));

    assertThat(bed.heartbeat(named(follower, "i2"), 1)).isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(bed.get(bed.join(named(follower, "i2"))).error())
        .isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(bed.get(bed.sync(named(follower, "i2"), 1, Map.of())).error())
        .isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(bed.commitNow(named(follower, "i2"), 1, ORDERS_0, 1))
        .isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(bed.leave(named(follower, "i2")).members().get(0).error())
        .isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    assertThat(bed.heartbeat(named(follower, "i9"), 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
  }

  @Test
  void aLeaderThatComesBackIsToldToLeaveTheAssignmentAlone() {
    JoinGroupResult again = bed.get(bed.join(named("", "i1")));
    assertThat(again.leader()).isEqualTo(again.memberId());
    assertThat(again.skipAssignment()).isTrue();
    assertThat(again.members()).hasSize(2);
    assertThat(bed.get(bed.sync(named(again.memberId(), "i1"), 1, Map.of())).assignment())
        .isEqualTo(bytes("one"));
  }

  @Test
  void aLeaderWithAnOldClientIsNotToldThatItLeads() {
    JoinGroupResult again = bed.get(joinWithOldClient("i1"));
    assertThat(again.leader()).isEqualTo(leader).isNotEqualTo(again.memberId());
    assertThat(again.skipAssignment()).isFalse();
    assertThat(again.members()).isEmpty();
    assertThat(again.generation()).isEqualTo(1);
  }

  @Test
  @DisplayName("GT-09 a static member joining while completing gets its own assignment")
  void gt09_aStaticMemberJoiningWhileCompletingGetsItsAssignment() {
    CompletableFuture<JoinGroupResult> rejoined = bed.join(named(leader, "i1"));
    bed.join(named(follower, "i2"));
    assertThat(bed.get(rejoined).generation()).isEqualTo(2);
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
    CompletableFuture<SyncGroupResult> parked = bed.sync(named(follower, "i2"), 2, Map.of());

    CompletableFuture<JoinGroupResult> restarted = bed.join(named("", "i2"));
    assertThat(bed.get(parked).error()).isEqualTo(ErrorCode.FENCED_INSTANCE_ID);
    // The leader's assignment knows the old id only: it must not be taken.
    assertThat(
            bed.get(
                    bed.sync(
                        named(leader, "i1"), 2, Map.of(leader, bytes("x"), follower, bytes("y"))))
                .error())
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    JoinGroupResult lead = bed.get(bed.join(named(leader, "i1")));
    assertThat(lead.generation()).isEqualTo(3);
    String newId = bed.get(restarted).memberId();
    CompletableFuture<SyncGroupResult> own = bed.sync(named(newId, "i2"), 3, Map.of());
    bed.sync(named(leader, "i1"), 3, Map.of(leader, bytes("x"), newId, bytes("mine")));
    assertThat(bed.get(own).assignment()).isEqualTo(bytes("mine"));
  }

  @Test
  void aReplacementIsToldOnlyWhenItIsStored() {
    bed.log.hold();
    CompletableFuture<JoinGroupResult> again = bed.join(named("", "i2"));
    bed.run();
    assertThat(again).isNotDone();
    bed.log.release();
    assertThat(bed.get(again).error()).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void aReplacementThatCanNotBeStoredIsTakenBack() {
    bed.log.failAppendsWith(ErrorCode.NOT_ENOUGH_REPLICAS);
    assertThat(bed.get(bed.join(named("", "i1"))).error())
        .isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);

    assertThat(bed.heartbeat(named(leader, "i1"), 1)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.get(bed.sync(named(leader, "i1"), 1, Map.of())).assignment())
        .isEqualTo(bytes("one"));
    bed.log.failAppendsWith(ErrorCode.NONE);
    JoinGroupResult again = bed.get(bed.join(named("", "i1")));
    assertThat(again.leader()).isEqualTo(again.memberId());
  }

  @Test
  void aRebalanceThatBeginsMeanwhileAnswersTheReplacement() {
    bed.log.hold();
    CompletableFuture<JoinGroupResult> again = bed.join(named("", "i2"));
    CompletableFuture<JoinGroupResult> lead = bed.join(named(leader, "i1"));
    assertThat(bed.get(lead).generation()).isEqualTo(2);
    assertThat(bed.get(again).generation()).isEqualTo(2);
    bed.log.release();
    bed.run();
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
  }

  @Test
  void aReplacementThatChangesTheProtocolCausesARebalance() {
    List<JoinProtocol> both =
        List.of(new JoinProtocol("sticky", bytes("s")), range("orders").get(0));
    CompletableFuture<JoinGroupResult> lead = bed.join(named(leader, "i1"), both);
    bed.join(named(follower, "i2"), both);
    assertThat(bed.get(lead).protocolName()).isEqualTo("sticky");
    bed.sync(named(leader, "i1"), 2, Map.of());
    bed.sync(named(follower, "i2"), 2, Map.of());

    CompletableFuture<JoinGroupResult> again = bed.join(named("", "i2"), range("orders"));
    assertThat(again).isNotDone();
    assertThat(bed.state()).isEqualTo("PreparingRebalance");
    assertThat(bed.get(bed.join(named(leader, "i1"), both)).protocolName()).isEqualTo("range");
    assertThat(bed.get(again).generation()).isEqualTo(3);
  }

  @Test
  void aStaticMemberThatDoesNotJoinKeepsItsPlaceUntilItsSessionEnds() {
    CompletableFuture<JoinGroupResult> lead = bed.join(named(leader, "i1"));
    for (int i = 0; i < 11; i++) {
      bed.pass(5_000);
      bed.heartbeat(named(follower, "i2"), 1);
    }
    assertThat(lead).isNotDone();
    bed.pass(5_000);
    // The rebalance timed out: the follower has not joined, but is still a member.
    assertThat(bed.get(lead).members()).hasSize(2);
    assertThat(bed.describe().members()).hasSize(2);
    bed.sync(named(leader, "i1"), 2, Map.of(leader, bytes("1"), follower, bytes("2")));
    bed.pass(SESSION_MS);
    assertThat(bed.describe().members()).isEmpty();
  }

  @Test
  void aLeaveTakesAStaticMemberOut() {
    assertThat(bed.leave(named(follower, "i2")).members())
        .containsExactly(new Leaving(named(follower, "i2"), ErrorCode.NONE));
    assertThat(bed.heartbeat(named(leader, "i1"), 1)).isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
  }

  private CompletableFuture<JoinGroupResult> joinWithOldClient(String instanceId) {
    JoinGroupCommand command = joinCommand(named("", instanceId), range("orders"));
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
                true,
                false,
                null)));
  }

  private GroupMetadata lastStored() {
    List<GroupRecord> records = bed.log.decoded(0);
    return ((GroupStored) records.get(records.size() - 1)).metadata();
  }
}
