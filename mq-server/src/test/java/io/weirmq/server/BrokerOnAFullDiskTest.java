package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DeleteTopicsRequest;
import io.weirmq.protocol.message.DeleteTopicsResponse;
import io.weirmq.testkit.storage.InMemoryFileSystem;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker that comes up where nothing more fits. */
class BrokerOnAFullDiskTest {

  private static final Path DATA = Path.of("/data");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static Broker start(InMemoryFileSystem files) throws Exception {
    return TestBroker.in(DATA).set("log.segment.delete.delay.ms", "0").files(files).start();
  }

  @ParameterizedTest(name = "ST-06 clean stop {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("ST-06 it starts, serves reads, tells that it can't write, and deletes free space")
  void st06_startsReadsAndDeletes(boolean cleanStop) throws Exception {
    InMemoryFileSystem files = new InMemoryFileSystem();
    try (Broker broker = start(files);
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "kept", 1, Map.of());
      TestBroker.createTopic(broker.boundPort(), "dropped", 1, Map.of());
      assertThat(produce(client, "kept", "a")).isZero();
      assertThat(produce(client, "kept", "b")).isZero();
      assertThat(produce(client, "dropped", "x".repeat(50_000))).isZero();
      if (!cleanStop) {
        files = files.kill();
      }
    } catch (IOException e) {
      assertThat(cleanStop).as("%s", e).isFalse();
    }
    files.capacityBytes(files.usedBytes());

    try (Broker broker = start(files);
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(readOnlyPartitions()).isZero();
      assertThat(values(client)).containsExactly("a", "b");
      assertThat(produce(client, "kept", "c".repeat(30_000)))
          .isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR.code());
      assertThat(readOnlyPartitions()).isEqualTo(1);
      assertThat(values(client)).containsExactly("a", "b");

      DeleteTopicsResponse deleted =
          client.ask(
              ApiKey.DELETE_TOPICS,
              5,
              new DeleteTopicsRequest().setTopicNames(List.of("dropped")).setTimeoutMs(10_000),
              DeleteTopicsResponse::new);
      assertThat(deleted.responses().get(0).errorCode()).isZero();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(produce(client, "kept", "c".repeat(30_000))).isZero());
      assertThat(readOnlyPartitions()).isZero();
      assertThat(values(client)).containsExactly("a", "b", "c".repeat(30_000));
    }
  }

  private static short produce(RawClient client, String topic, String value) throws IOException {
    return TestBroker.produce(client, topic, 0, TestBroker.batch(value)).errorCode();
  }

  private static List<String> values(RawClient client) throws IOException {
    return TestBroker.values(TestBroker.fetchOne(client, TestBroker.fetch("kept", 0, 0)));
  }

  private static long readOnlyPartitions() throws Exception {
    Object value =
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName("io.weirmq:type=Storage,name=ReadOnlyPartitionCount"), "Value");
    return ((Number) value).longValue();
  }
}
