package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kafka's own Java consumer sees of a damaged batch and of a full disk. */
class DamagedDiskClientsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int BATCHES = 6;
  private static final int DAMAGED = 2;
  private static final long NOTHING = -1;

  @TempDir static Path temporary;

  private final Path folder = temporary.resolve(UUID.randomUUID().toString());
  private final RefusingFiles files = new RefusingFiles();

  private static KafkaConsumer<String, String> consumer(Broker broker, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", broker.bootstrapServers());
    config.put("enable.auto.commit", "false");
    config.putAll(more);
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  private static List<String> poll(KafkaConsumer<String, String> consumer, int atLeast) {
    List<String> values = new ArrayList<>();
    Awaitility.await()
        .atMost(PATIENCE)
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(200)).forEach(each -> values.add(each.value()));
              return values.size() >= atLeast;
            });
    return values;
  }

  @Test
  @DisplayName("A damaged batch stops the Java consumer with its offset; seeking past it goes on")
  void aDamagedBatch() throws Exception {
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      for (int i = 0; i < BATCHES; i++) {
        assertThat(TestBroker.produce(client, "t", 0, TestBroker.batch("value " + i)).errorCode())
            .isZero();
      }
    }
    Path log = folder.resolve("t-0").resolve("00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(log);
    int batchSize = bytes.length / BATCHES;
    assertThat(batchSize * BATCHES).as("batches of one size").isEqualTo(bytes.length);
    bytes[batchSize * (DAMAGED + 1) - 3] ^= 1;
    Files.write(log, bytes);

    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(TestBroker.fetchOne(client, TestBroker.fetch("t", 0, DAMAGED)).errorCode())
          .isEqualTo(ErrorCode.CORRUPT_MESSAGE.code());
      try (KafkaConsumer<String, String> consumer = consumer(broker, Map.of())) {
        TopicPartition partition = new TopicPartition("t", 0);
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        assertThat(poll(consumer, DAMAGED)).containsExactly("value 0", "value 1");

        assertThatThrownBy(() -> poll(consumer, 1))
            .isInstanceOf(KafkaException.class)
            .hasMessageContaining("corrupt message")
            .hasMessageContaining("offset " + DAMAGED);
        assertThat(consumer.position(partition)).isEqualTo(DAMAGED);

        consumer.seek(partition, DAMAGED + 1);
        assertThat(poll(consumer, BATCHES - DAMAGED - 1))
            .containsExactly("value 3", "value 4", "value 5");
      }
    }
  }

  @Test
  @DisplayName(
      "ST-05 a commit on a full disk is retried by the client, and counts once there is room")
  void st05_commitsOnAFullDisk() throws Exception {
    TopicPartition partition = new TopicPartition("t", 0);
    try (Broker broker = TestBroker.in(folder).files(files).start();
        KafkaConsumer<String, String> consumer =
            consumer(broker, Map.of("group.id", "g", "default.api.timeout.ms", "3000"))) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      consumer.assign(List.of(partition));
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(1)), PATIENCE);

      files.fillUnder(folder);
      assertThatThrownBy(() -> consumer.commitSync(Map.of(partition, new OffsetAndMetadata(2))))
          .as("retried for as long as the client was told to")
          .isInstanceOfAny(TimeoutException.class, RetriableException.class);
      assertThat(committed(consumer, partition)).as("nothing half done").isEqualTo(1);

      files.mend();
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(3)), PATIENCE);
      assertThat(committed(consumer, partition)).isEqualTo(3);
    }
    try (Broker broker = TestBroker.in(folder).files(files).start();
        KafkaConsumer<String, String> consumer = consumer(broker, Map.of("group.id", "g"))) {
      assertThat(committed(consumer, partition)).as("in the log").isEqualTo(3);
    }
  }

  private static long committed(KafkaConsumer<String, String> consumer, TopicPartition partition) {
    OffsetAndMetadata found = consumer.committed(Set.of(partition), PATIENCE).get(partition);
    return found == null ? NOTHING : found.offset();
  }
}
