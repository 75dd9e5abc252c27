package io.weirmq.client.ipc;

import static io.weirmq.client.ipc.IpcEndToEndTest.bytes;
import static io.weirmq.client.ipc.IpcEndToEndTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Transactions that a real broker has in its log. As it coordinates none, they are written to the
 * segment while it is stopped, as a broker that did would have.
 */
@Timeout(120)
class ReadCommittedTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PRODUCER = 4_711;

  @TempDir Path data;

  private Path folder;
  private LocalBroker broker;
  private int port;

  @BeforeEach
  void start() throws Exception {
    folder = LocalBroker.localFolder();
    broker = LocalBroker.start(data, folder, 0, Map.of());
    port = broker.port();
    broker.createTopic("t", Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void anOpenTransactionIsWaitedFor_andLeftOutWhereItIsAborted(boolean direct, boolean commit)
      throws Exception {
    publish("0 before", "1 before", "2 before");
    SubscriberOptions options = SubscriberOptions.defaults();
    try (IpcClient client = direct ? broker.client() : broker.remoteClient();
        IpcSubscriber all = client.subscriber("t", 0, StartPosition.earliest(), options);
        IpcSubscriber committed =
            client.subscriber("t", 0, StartPosition.earliest(), options.withReadCommitted(true))) {
      assertThat(take(committed, 3)).containsExactly("0 before", "1 before", "2 before");
      assertThat(take(all, 3)).hasSize(3);

      writeWhileStopped(
          batch(3).producer(PRODUCER, (short) 0, 0).transactional(), "3 in the transaction");
      writeWhileStopped(batch(4), "4 beside it");
      publish("5 beside it");
      assertThat(take(all, 6))
          .containsExactly("3 in the transaction", "4 beside it", "5 beside it");
      SubscriberOptions onlyCommitted =
          options.withReadCommitted(true).withOutOfRange(SubscriberOptions.OutOfRange.LATEST);
      try (IpcSubscriber fromTheEnd =
          client.subscriber("t", 0, StartPosition.offset(1_000), onlyCommitted)) {
        assertThat(take(fromTheEnd, 3)).as("goes to the last stable offset").isEmpty();
        assertThat(take(committed, 3)).as("is there and waits").isEmpty();
        assertThat(consume()).hasSize(3);

        writeMarkerWhileStopped(6, commit);
        publish("7 behind it");
        List<String> expected =
            commit
                ? List.of("3 in the transaction", "4 beside it", "5 beside it", "7 behind it")
                : List.of("4 beside it", "5 beside it", "7 behind it");
        assertThat(take(committed, 8)).isEqualTo(expected);
        assertThat(take(fromTheEnd, 8)).isEqualTo(expected);
        assertThat(take(all, 8)).containsExactly("7 behind it");
        assertThat(consume()).hasSize(3 + expected.size()).endsWith("7 behind it");
        assertThat(committed.isDirect()).isEqualTo(direct);
      }
    }
  }

  private void publish(String... values) throws Exception {
    try (IpcClient client = broker.client();
        IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      for (String value : values) {
        assertThat(publisher.offer(null, bytes(value))).isNotNegative();
      }
      assertThat(publisher.awaitAppended(values.length - 1, PATIENCE)).isTrue();
    }
  }

  /** Takes until the position is reached, and what comes in a few polls more. */
  private static List<String> take(IpcSubscriber subscriber, long end) throws Exception {
    List<String> taken = new ArrayList<>();
    RecordHandler handler = record -> taken.add(text(record.value()));
    long startNs = System.nanoTime();
    while (subscriber.position() != end && System.nanoTime() - startNs < PATIENCE.toNanos()) {
      subscriber.poll(handler, 100, Duration.ofMillis(100));
    }
    for (int i = 0; i < 100; i++) {
      subscriber.poll(handler, 100);
    }
    assertThat(subscriber.position()).isEqualTo(end);
    return taken;
  }

  private static RecordBatchBuilder batch(long offset) {
    return new RecordBatchBuilder().baseOffset(offset);
  }

  private void writeMarkerWhileStopped(long offset, boolean commit) throws Exception {
    EndTransactionMarker marker = new EndTransactionMarker(commit, 0);
    writeWhileStopped(
        batch(offset)
            .producer(PRODUCER, (short) 0, RecordBatch.NO_SEQUENCE)
            .transactional()
            .control()
            .append(System.currentTimeMillis(), marker.key(), marker.value()));
  }

  private void writeWhileStopped(RecordBatchBuilder batch, String value) throws Exception {
    writeWhileStopped(batch.append(System.currentTimeMillis(), null, bytes(value)));
  }

  /** Makes it a stop after which the broker reads the log anew, too. */
  private void writeWhileStopped(RecordBatchBuilder batch) throws Exception {
    broker.close();
    Files.delete(data.resolve(".kafka_cleanshutdown"));
    Path segment = data.resolve("t-0").resolve("00000000000000000000.log");
    int epoch = lastEpoch(ByteBuffer.wrap(Files.readAllBytes(segment)));
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.APPEND)) {
      channel.write(batch.leaderEpoch(epoch).build());
    }
    broker = LocalBroker.start(data, folder, port, Map.of());
  }

  /** Each start is an epoch of its own, and they do not go back in a log. */
  private static int lastEpoch(ByteBuffer segment) {
    RecordBatch batch = new RecordBatch();
    for (int at = 0; at < segment.limit(); at += batch.sizeInBytes()) {
      batch.wrap(segment, at);
    }
    return batch.partitionLeaderEpoch();
  }

  /** What Kafka's consumer reads of it. */
  private List<String> consume() {
    Map<String, Object> config =
        Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", "read_committed");
    TopicPartition partition = new TopicPartition("t", 0);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).values().iterator().next();
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> each : consumer.poll(PATIENCE)) {
          values.add(each.value());
        }
      }
    }
    return values;
  }
}
