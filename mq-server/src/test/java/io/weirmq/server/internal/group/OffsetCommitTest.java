package io.weirmq.server.internal.group;

import static io.weirmq.server.internal.group.GroupTestBed.GROUP;
import static io.weirmq.server.internal.group.GroupTestBed.INITIAL_DELAY_MS;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_0;
import static io.weirmq.server.internal.group.GroupTestBed.ORDERS_1;
import static io.weirmq.server.internal.group.GroupTestBed.dynamic;
import static io.weirmq.server.internal.group.GroupTestBed.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.server.internal.group.GroupTestBed.Joining;
import io.weirmq.server.internal.group.message.FetchedOffset;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.group.offsets.CommittedOffset;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetCommitted;
import io.weirmq.server.internal.group.records.GroupRecord.OffsetRemoved;
import io.weirmq.storage.TopicPartition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Committing, fetching and deleting offsets. */
class OffsetCommitTest {

  private final GroupTestBed bed = new GroupTestBed();

  @Test
  void whatIsCommittedComesBackWhole() {
    List<String> members = bed.stableGroup(1);
    assertThat(bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 42)).isEqualTo(ErrorCode.NONE);

    OffsetFetchResult fetched = bed.get(bed.coordinator.fetch(GROUP, List.of(ORDERS_1, ORDERS_0)));
    assertThat(fetched.error()).isEqualTo(ErrorCode.NONE);
    assertThat(fetched.offsets())
        .containsExactly(
            new FetchedOffset(ORDERS_1, -1, -1, "", ErrorCode.NONE),
            new FetchedOffset(ORDERS_0, 42, 5, "note", ErrorCode.NONE));
  }

  @Test
  void allOffsetsComeInOrder() {
    TopicPartition zebra = new TopicPartition("zebra", 0);
    TopicPartition orders10 = new TopicPartition("orders", 10);
    bed.commitAlone(zebra, 1);
    bed.commitAlone(orders10, 2);
    bed.commitAlone(ORDERS_1, 3);

    assertThat(bed.get(bed.coordinator.fetch(GROUP, null)).offsets())
        .extracting(FetchedOffset::partition)
        .containsExactly(ORDERS_1, orders10, zebra);
    assertThat(bed.get(bed.coordinator.fetch("nobody", null)))
        .isEqualTo(new OffsetFetchResult(ErrorCode.NONE, List.of()));
  }

  @Test
  void anOffsetIsSeenAndAnsweredWhenItIsInTheLog() {
    bed.log.hold();
    CompletableFuture<PartitionErrors> commit = bed.commit(dynamic(""), -1, ORDERS_0, 42);
    assertThat(commit).isNotDone();
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);

    bed.log.release();
    assertThat(bed.get(commit).of(ORDERS_0)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(42);
    assertThat(bed.log.decoded(0))
        .containsExactly(
            new OffsetCommitted(
                GROUP, ORDERS_0, new CommittedOffset(42, 5, "note", bed.time.wallMs(), -1)));
  }

  @Test
  void aCommitThatFailsChangesNothing() {
    bed.commitAlone(ORDERS_0, 1);
    bed.log.failAppendsWith(ErrorCode.NOT_ENOUGH_REPLICAS);
    assertThat(bed.commitAlone(ORDERS_0, 2)).isEqualTo(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    bed.log.failAppendsWith(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    assertThat(bed.commitAlone(ORDERS_0, 2)).isEqualTo(ErrorCode.NOT_COORDINATOR);
    bed.log.failAppendsWith(ErrorCode.MESSAGE_TOO_LARGE);
    assertThat(bed.commitAlone(ORDERS_0, 2)).isEqualTo(ErrorCode.INVALID_COMMIT_OFFSET_SIZE);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);
  }

  @Test
  void commitsAreForMembersOfTheGeneration() {
    List<String> members = bed.stableGroup(1);
    String member = members.get(0);
    assertThat(bed.commitNow(dynamic(member), 0, ORDERS_0, 1))
        .isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    assertThat(bed.commitNow(dynamic("x"), 1, ORDERS_0, 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.commitAlone(ORDERS_0, 1)).isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    bed.leave(dynamic(member));
    assertThat(bed.commitNow(dynamic(member), 1, ORDERS_0, 1))
        .isEqualTo(ErrorCode.UNKNOWN_MEMBER_ID);
    assertThat(bed.commitAlone(ORDERS_0, 1)).isEqualTo(ErrorCode.NONE);
  }

  @Test
  void aMemberOfAGroupThatDoesNotExistIsToldAsItsVersionKnows() {
    assertThat(bed.commitNow(dynamic("x"), 3, ORDERS_0, 1)).isEqualTo(ErrorCode.ILLEGAL_GENERATION);
    OffsetCommitCommand newer =
        new OffsetCommitCommand(
            GROUP,
            dynamic("x"),
            3,
            -1,
            ErrorCode.GROUP_ID_NOT_FOUND,
            List.of(new OffsetCommitCommand.Offset(ORDERS_0, 1, -1, "")));
    assertThat(bed.get(bed.coordinator.commit(newer)).of(ORDERS_0))
        .isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
  }

  @Test
  void commitsAreTakenWhilePreparingAndNotWhileCompleting() {
    List<String> members = bed.stableGroup(1);
    Joining second = bed.joinNew();
    assertThat(bed.state()).isEqualTo("PreparingRebalance");
    assertThat(bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1)).isEqualTo(ErrorCode.NONE);

    bed.join(dynamic(members.get(0)));
    assertThat(bed.get(second.answer()).generation()).isEqualTo(2);
    assertThat(bed.state()).isEqualTo("CompletingRebalance");
    assertThat(bed.commitNow(dynamic(members.get(0)), 2, ORDERS_0, 2))
        .isEqualTo(ErrorCode.REBALANCE_IN_PROGRESS);
    assertThat(bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 2))
        .isEqualTo(ErrorCode.ILLEGAL_GENERATION);
  }

  @Test
  void aTextThatIsTooLongFailsItsPartitionOnly() {
    OffsetCommitCommand command =
        new OffsetCommitCommand(
            GROUP,
            dynamic(""),
            -1,
            -1,
            ErrorCode.ILLEGAL_GENERATION,
            List.of(
                new OffsetCommitCommand.Offset(ORDERS_0, 1, -1, "x".repeat(4097)),
                new OffsetCommitCommand.Offset(ORDERS_1, 2, -1, "ü".repeat(4096))));
    PartitionErrors outcome = bed.get(bed.coordinator.commit(command));
    assertThat(outcome.of(ORDERS_0)).isEqualTo(ErrorCode.OFFSET_METADATA_TOO_LARGE);
    assertThat(outcome.of(ORDERS_1)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(2);
  }

  @Test
  void theEmptyGroupNameIsAllowedForOffsetsAsOldClientsUseIt() {
    OffsetCommitCommand command =
        new OffsetCommitCommand(
            "",
            dynamic(""),
            -1,
            -1,
            ErrorCode.ILLEGAL_GENERATION,
            List.of(new OffsetCommitCommand.Offset(ORDERS_0, 9, -1, "")));
    assertThat(bed.get(bed.coordinator.commit(command)).of(ORDERS_0)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.get(bed.coordinator.fetch("", List.of(ORDERS_0))).offsets().get(0).offset())
        .isEqualTo(9);
  }

  // ---- deletion ----------------------------------------------------------------------------

  @Test
  void offsetsThatAMemberUsesCanNotBeDeleted() {
    List<String> members = bed.stableGroup(1);
    TopicPartition old = new TopicPartition("old", 0);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    bed.commitNow(dynamic(members.get(0)), 1, old, 2);

    PartitionErrors outcome =
        bed.get(bed.coordinator.deleteOffsets(GROUP, List.of(ORDERS_0, old, ORDERS_1)));
    assertThat(outcome.error()).isEqualTo(ErrorCode.NONE);
    assertThat(outcome.of(ORDERS_0)).isEqualTo(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
    assertThat(outcome.of(old)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.fetch(old)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(1);

    bed.leave(dynamic(members.get(0)));
    assertThat(bed.get(bed.coordinator.deleteOffsets(GROUP, List.of(ORDERS_0))).of(ORDERS_0))
        .isEqualTo(ErrorCode.NONE);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
    assertThat(bed.log.decoded(0)).contains(new OffsetRemoved(GROUP, ORDERS_0));
  }

  @Test
  void deletionNeedsAGroupWhoseTopicsAreKnown() {
    assertThat(bed.get(bed.coordinator.deleteOffsets(GROUP, List.of(ORDERS_0))).error())
        .isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    assertThat(bed.get(bed.coordinator.deleteOffsets("", List.of(ORDERS_0))).error())
        .isEqualTo(ErrorCode.INVALID_GROUP_ID);

    // Garbage in the metadata: any topic may be subscribed.
    Joining member = bed.joinNew(List.of(new JoinProtocol("range", GroupTestBed.bytes("garbage"))));
    bed.pass(INITIAL_DELAY_MS);
    bed.syncAll(List.of(member.memberId()), 1);
    bed.commitNow(dynamic(member.memberId()), 1, ORDERS_0, 1);
    assertThat(bed.get(bed.coordinator.deleteOffsets(GROUP, List.of(ORDERS_0))).of(ORDERS_0))
        .isEqualTo(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
  }

  @Test
  void aDeletedTopicTakesItsOffsetsWithIt() {
    TopicPartition other = new TopicPartition("other", 0);
    bed.commitAlone(ORDERS_0, 1);
    bed.commitAlone(ORDERS_1, 1);
    bed.commitAlone(other, 1);
    bed.coordinator.topicDeleted("orders");
    bed.run();
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(-1);
    assertThat(bed.fetch(other)).isEqualTo(1);
    assertThat(bed.log.decoded(0)).contains(new OffsetRemoved(GROUP, ORDERS_1));
  }

  @Test
  void anEmptyGroupCanBeDeletedWithItsOffsets() {
    assertThat(bed.get(bed.coordinator.delete(GROUP))).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    List<String> members = bed.stableGroup(1);
    bed.commitNow(dynamic(members.get(0)), 1, ORDERS_0, 1);
    assertThat(bed.get(bed.coordinator.delete(GROUP))).isEqualTo(ErrorCode.NON_EMPTY_GROUP);
    bed.leave(dynamic(members.get(0)));

    assertThat(bed.get(bed.coordinator.delete(GROUP))).isEqualTo(ErrorCode.NONE);
    assertThat(bed.describe().error()).isEqualTo(ErrorCode.GROUP_ID_NOT_FOUND);
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(-1);
  }

  @Test
  void aDeletionAlsoReachesCommitsThatAreOnTheirWay() {
    bed.commitAlone(ORDERS_0, 1);
    bed.log.hold();
    bed.commit(dynamic(""), -1, ORDERS_1, 2);
    CompletableFuture<ErrorCode> deleted = bed.await(bed.coordinator.delete(GROUP));
    CompletableFuture<PartitionErrors> later = bed.commit(dynamic(""), -1, ORDERS_0, 3);
    bed.log.release();

    assertThat(bed.get(deleted)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.get(later).of(ORDERS_0)).isEqualTo(ErrorCode.NONE);
    assertThat(bed.fetch(ORDERS_1)).isEqualTo(-1);
    // The log says so as well: the later commit stands behind the tombstone.
    assertThat(bed.fetch(ORDERS_0)).isEqualTo(3);
  }

  @Test
  void aGroupThatComesToLifeWhileItIsDeletedLivesOn() {
    List<String> members = bed.stableGroup(1);
    bed.leave(dynamic(members.get(0)));
    bed.log.hold();
    CompletableFuture<ErrorCode> deleted = bed.await(bed.coordinator.delete(GROUP));
    Joining joining = bed.joinNew(range("orders"));
    bed.log.release();
    assertThat(bed.get(deleted)).isEqualTo(ErrorCode.NONE);
    bed.pass(INITIAL_DELAY_MS);
    assertThat(bed.get(joining.answer()).generation()).isEqualTo(3);
  }

  @Test
  void manyOffsetsAreRemovedInSeveralAppends() {
    for (int i = 0; i < 2_500; i++) {
      bed.commit(dynamic(""), -1, new TopicPartition("orders", i), i);
    }
    bed.run();
    int before = bed.log.appendCount;
    assertThat(bed.get(bed.coordinator.delete(GROUP))).isEqualTo(ErrorCode.NONE);
    assertThat(bed.log.appendCount - before).isEqualTo(3);
    assertThat(bed.get(bed.coordinator.fetch(GROUP, null)).offsets()).isEmpty();
  }
}
