package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.OffsetFetchResponse;
import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A subscriber of a broker that answers as it is told. */
@Timeout(60)
class ScriptedSubscriberTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private ScriptedBroker broker;
  private IpcClient client;

  @BeforeEach
  void start() throws Exception {
    broker = new ScriptedBroker();
    client = broker.client();
  }

  @AfterEach
  void stop() {
    client.close();
    broker.close();
  }

  @Test
  void afterFiveFilesThatAreNotHereRecordsAreFetched() throws Exception {
    AtomicInteger granted = new AtomicInteger();
    broker.answerWith(
        ApiKey.DIRECT_READ,
        () -> {
          granted.incrementAndGet();
          return new DirectReadResponse()
              .setTopicId(new UUID(1, 2))
              .setHighWatermark(1)
              .setLastStableOffset(1)
              .setSegmentPath(folder.resolve("of-another-container.log").toString())
              .setSegmentInode(3)
              .setLengthBytes(100);
        });
    broker.answerWith(ApiKey.FETCH, () -> fetched(batchOf((byte) 42)));
    try (IpcSubscriber subscriber =
        client.subscriber("t", 0, StartPosition.offset(0), SubscriberOptions.defaults())) {
      assertThat(subscriber.isDirect()).isTrue();
      List<Byte> values = new ArrayList<>();
      int count =
          subscriber.poll(
              record -> values.add(record.buffer().get(record.valuePosition())), 1, PATIENCE);
      assertThat(count).isEqualTo(1);
      assertThat(values).containsExactly((byte) 42);
      assertThat(granted).hasValue(5);
      assertThat(subscriber.isDirect()).isFalse();
    }
  }

  private static FetchResponse fetched(ByteBuffer batch) {
    FetchResponse.PartitionData partition =
        new FetchResponse.PartitionData()
            .setHighWatermark(1)
            .setLastStableOffset(1)
            .setLogStartOffset(0)
            .setRecords(RecordsData.of(batch));
    return new FetchResponse()
        .setResponses(
            List.of(
                new FetchResponse.FetchableTopicResponse()
                    .setTopic("t")
                    .setPartitions(List.of(partition))));
  }

  private static ByteBuffer batchOf(byte value) {
    OutgoingBatch batch = new OutgoingBatch(1024);
    batch.begin(0);
    assertThat(batch.claim(0, -1, 1)).isTrue();
    batch.buffer().put(batch.valuePosition(), value);
    batch.commit();
    batch.seal(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE);
    return batch.buffer().slice(OutgoingBatch.BATCH_POSITION, batch.sizeInBytes());
  }

  @Test
  void aTemporaryAnswerAboutACoordinatorOrOfItIsAskedAgain() throws Exception {
    AtomicInteger searches = new AtomicInteger();
    AtomicInteger questions = new AtomicInteger();
    broker.answerWith(
        ApiKey.FIND_COORDINATOR,
        () ->
            searches.incrementAndGet() <= 2
                ? new FindCoordinatorResponse()
                    .setErrorCode(ErrorCode.COORDINATOR_NOT_AVAILABLE.code())
                : new FindCoordinatorResponse().setHost("127.0.0.1").setPort(broker.port()));
    broker.answerWith(
        ApiKey.OFFSET_FETCH,
        () ->
            questions.incrementAndGet() == 1
                ? new OffsetFetchResponse()
                    .setErrorCode(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS.code())
                : committed(1234));
    try (IpcSubscriber subscriber =
        client.subscriber(
            "t",
            0,
            StartPosition.committed("g", StartPosition.offset(0)),
            SubscriberOptions.defaults())) {
      assertThat(subscriber.position()).isEqualTo(1234);
    }
    // Two in vain, one that led to a coordinator who was not ready, and the last.
    assertThat(searches).hasValue(4);
    assertThat(questions).hasValue(2);
  }

  private static OffsetFetchResponse committed(long offset) {
    return new OffsetFetchResponse()
        .setTopics(
            List.of(
                new OffsetFetchResponse.OffsetFetchResponseTopic()
                    .setName("t")
                    .setPartitions(
                        List.of(
                            new OffsetFetchResponse.OffsetFetchResponsePartition()
                                .setCommittedOffset(offset)))));
  }
}
