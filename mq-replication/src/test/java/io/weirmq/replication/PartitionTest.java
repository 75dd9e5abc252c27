package io.weirmq.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.replication.ProduceResult.Accepted;
import io.weirmq.replication.ProduceResult.NotEnoughReplicas;
import io.weirmq.replication.ProduceResult.NotLeader;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.TopicPartition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PartitionTest {

  private static final int SELF = 7;
  private static final int OTHER = 8;
  private static final short ACKS_ALL = -1;
  private static final short ACKS_LEADER = 1;

  private final FakePipeline pipeline = new FakePipeline();
  private final FakeLog log =
      new FakeLog(new TopicPartition("orders", 3), new UUID(1, 2), LogConfig.defaults());
  private final List<ProduceResult> results = new ArrayList<>();

  @Test
  void aLoneLeaderAcknowledgesAtOnceAndRaisesTheHighWatermark() {
    Partition partition = open(alone(4), 1);

    assertThat(append(partition, ACKS_ALL)).isTrue();
    assertThat(results).as("before the writer has run").isEmpty();
    pipeline.run();

    assertThat(results).containsExactly(new Accepted(0, 0, -1, 0, false));
    assertThat(log.highWatermark()).isEqualTo(1);
    assertThat(log.stampedEpochs).containsExactly(4);
  }

  @Test
  void acksAllWaitsForTheHighWatermarkWhileOthersAreInSync() {
    Partition partition = open(with(4, SELF, OTHER), 1);

    append(partition, ACKS_ALL);
    append(partition, ACKS_LEADER);
    pipeline.run();

    assertThat(log.highWatermark()).as("the follower has not fetched yet").isZero();
    assertThat(results).containsExactly(new Accepted(1, 1, -1, 0, false));

    partition.follow(alone(5), 1);
    pipeline.run();

    assertThat(log.highWatermark()).isEqualTo(2);
    assertThat(results)
        .containsExactly(new Accepted(1, 1, -1, 0, false), new Accepted(0, 0, -1, 0, false));
  }

  @Test
  void aRepetitionWaitsForTheHighWatermarkAsItsFirstAppendDoes() {
    Partition partition = open(with(4, SELF, OTHER), 1);
    append(partition, ACKS_LEADER);
    pipeline.run();
    results.clear();

    log.repeatedOffset = 0;
    append(partition, ACKS_ALL);
    pipeline.run();

    assertThat(log.highWatermark()).isZero();
    assertThat(results).as("the record is not replicated yet").isEmpty();

    partition.follow(alone(5), 1);
    pipeline.run();

    assertThat(results).containsExactly(new Accepted(0, 0, -1, 0, true));
  }

  @Test
  void acksAllIsRefusedBeforeTheAppendWhereTooFewAreInSync() {
    Partition partition = open(alone(0), 2);

    append(partition, ACKS_ALL);
    pipeline.run();

    assertThat(results).containsExactly(new NotEnoughReplicas(1, 2, false));
    assertThat(log.logEndOffset()).isZero();

    append(partition, ACKS_LEADER);
    pipeline.run();

    assertThat(results).last().isEqualTo(new Accepted(0, 0, -1, 0, false));
  }

  @Test
  void acksAllTellsThatTooFewAreLeftAfterTheAppend() {
    Partition partition = open(with(0, SELF, OTHER), 2);

    append(partition, ACKS_ALL);
    pipeline.run();
    partition.follow(alone(1), 2);
    pipeline.run();

    assertThat(results).containsExactly(new NotEnoughReplicas(1, 2, true));
  }

  @Test
  void aFollowerTakesNoAppends() {
    Partition partition = open(new PartitionMetadata(OTHER, 9, both(), both()), 1);

    assertThat(append(partition, ACKS_LEADER)).isTrue();

    assertThat(results).containsExactly(new NotLeader(OTHER, 9));
    assertThat(partition.isLeader()).isFalse();
  }

  @Test
  void aFullPipelineIsTold() {
    pipeline.capacity(1);
    Partition partition = open(alone(0), 1);
    List<String> events = new ArrayList<>();

    assertThat(append(partition, ACKS_LEADER)).isTrue();
    assertThat(append(partition, ACKS_LEADER)).isFalse();
    partition.whenWritable(() -> events.add("writable"));
    assertThat(events).isEmpty();
    pipeline.run();

    assertThat(events).containsExactly("writable");
    assertThat(results).hasSize(1);
  }

  @Test
  void closingAnswersWhatWaitsAndWhatComes() {
    Partition partition = open(with(2, SELF, OTHER), 1);
    append(partition, ACKS_ALL);
    pipeline.run();

    assertThat(partition.close()).isCompleted();
    append(partition, ACKS_LEADER);

    assertThat(results).containsExactly(new NotLeader(-1, 2), new NotLeader(-1, 2));
    assertThat(partition.isClosed()).isTrue();
    assertThat(partition.close()).as("closing again").isCompleted();
  }

  @Test
  void leaderEpochsAreCompared() {
    Partition partition = open(alone(5), 1);

    assertThat(partition.checkLeaderEpoch(-1)).isEqualTo(EpochCheck.OK);
    assertThat(partition.checkLeaderEpoch(5)).isEqualTo(EpochCheck.OK);
    assertThat(partition.checkLeaderEpoch(4)).isEqualTo(EpochCheck.FENCED);
    assertThat(partition.checkLeaderEpoch(6)).isEqualTo(EpochCheck.UNKNOWN);
    assertThat(partition.endOffsetOfEpoch(5)).isEqualTo(new EpochEndOffset(5, 0));
  }

  @Test
  void cc06_theLeaderEpochNeverGoesBack() {
    Partition partition = open(alone(5), 1);

    assertThatThrownBy(() -> partition.follow(alone(4), 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("orders-3")
        .hasMessageContaining("from 5 to 4");
    assertThat(partition.leaderEpoch()).isEqualTo(5);
  }

  @Test
  void listenersHearOfAppendsAndLeadershipUntilTheyLeave() {
    Partition partition = open(alone(0), 1);
    List<String> events = new ArrayList<>();
    PartitionListener listener = new RecordingListener(events);
    partition.addListener(listener);

    append(partition, ACKS_LEADER);
    pipeline.run();
    partition.follow(alone(1), 1);
    partition.follow(alone(1), 2);
    partition.removeListener(listener);
    append(partition, ACKS_LEADER);
    pipeline.run();

    assertThat(events).containsExactly("advanced to 1", "epoch 1");
  }

  @Test
  void theHighWatermarkOfAFoundLogIsRaisedToItsEnd() {
    log.recovered(10, 6, 3);
    Partition partition = open(alone(4), 1);
    List<String> events = new ArrayList<>();
    partition.addListener(new RecordingListener(events));

    var raised = partition.recoverHighWatermark();
    pipeline.run();

    assertThat(raised).isCompletedWithValue(10L);
    assertThat(events).containsExactly("advanced to 10");
    assertThat(partition.recoverHighWatermark()).isCompletedWithValue(10L);
  }

  @Test
  void deletedRecordsEndAtTheHighWatermark() {
    pipeline.eager();
    Partition partition = open(alone(0), 1);
    append(partition, ACKS_LEADER);
    append(partition, ACKS_LEADER);

    assertThat(partition.deleteRecordsBefore(1)).isCompletedWithValue(1L);
    assertThat(partition.deleteRecordsBefore(-1)).isCompletedWithValue(2L);
    assertThat(partition.deleteRecordsBefore(3))
        .isCompletedExceptionally()
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(OffsetOutOfRangeException.class);
  }

  private Partition open(PartitionMetadata metadata, int minInSyncReplicas) {
    return Partition.open(SELF, log, pipeline, metadata, minInSyncReplicas);
  }

  private boolean append(Partition partition, short acks) {
    return partition.tryAppend(ByteBuffer.allocate(1), AppendOrigin.CLIENT, acks, results::add);
  }

  private static PartitionMetadata alone(int epoch) {
    return with(epoch, SELF);
  }

  private static PartitionMetadata with(int epoch, Integer... isr) {
    return new PartitionMetadata(SELF, epoch, both(), List.of(isr));
  }

  private static List<Integer> both() {
    return List.of(SELF, OTHER);
  }

  private static final class RecordingListener implements PartitionListener {

    private final List<String> events;

    private RecordingListener(List<String> events) {
      this.events = events;
    }

    @Override
    public void onAdvanced(Partition partition) {
      events.add("advanced to " + partition.log().highWatermark());
    }

    @Override
    public void onLeadershipChanged(Partition partition) {
      events.add("epoch " + partition.leaderEpoch());
    }
  }
}
