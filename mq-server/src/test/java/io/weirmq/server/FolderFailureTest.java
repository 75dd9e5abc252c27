package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeLogDirsRequest;
import io.weirmq.protocol.message.DescribeLogDirsResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponsePartition;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that breaks under a data folder while the broker runs. */
class FolderFailureTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path temporary;

  private final Path home = temporary.resolve(UUID.randomUUID().toString());
  private final Path first = home.resolve("first");
  private final Path second = home.resolve("second");
  private final RefusingFiles files = new RefusingFiles();

  private Broker start() throws Exception {
    return TestBroker.in(first).set("log.dirs", first + "," + second).files(files).start();
  }

  @Test
  @DisplayName(
      "ST-10 a folder whose disk breaks goes offline alone, and is back with the next start")
  void st10_aBrokenFolderCostsItsPartitionsOnly() throws Exception {
    int lost;
    try (Broker broker = start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "spread", 4, Map.of());
      for (int partition = 0; partition < 4; partition++) {
        assertThat(produce(client, "spread", partition)).isEqualTo(ErrorCode.NONE);
      }
      lost = Files.exists(second.resolve("spread-0")) ? 0 : 1;
      int idle = lost + 2;
      assertThat(second.resolve("spread-" + idle)).isDirectory();
      assertThat(offlineFolders()).isZero();

      files.breakUnder(second);
      assertThat(produce(client, "spread", lost)).isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR);

      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(logDirErrors(client))
                      .isEqualTo(
                          Map.of(
                              first.toString(),
                              ErrorCode.NONE,
                              second.toString(),
                              ErrorCode.KAFKA_STORAGE_ERROR)));
      assertThat(offlineFolders()).isOne();
      for (int partition : new int[] {lost, idle}) {
        MetadataResponsePartition told = partition(client, "spread", partition);
        assertThat(told.errorCode()).isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.code());
        assertThat(told.leaderId()).isEqualTo(-1);
        assertThat(told.offlineReplicas()).isEqualTo(told.replicaNodes());
        assertThat(produce(client, "spread", partition)).isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR);
        assertThat(
                TestBroker.fetchOne(client, TestBroker.fetch("spread", partition, 0)).errorCode())
            .isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR.code());
      }
      for (int partition : new int[] {1 - lost, 3 - lost}) {
        assertThat(partition(client, "spread", partition).offlineReplicas()).isEmpty();
        assertThat(produce(client, "spread", partition)).isEqualTo(ErrorCode.NONE);
      }
      TestBroker.createTopic(broker.boundPort(), "new", 4, Map.of());
      for (int partition = 0; partition < 4; partition++) {
        assertThat(produce(client, "new", partition)).isEqualTo(ErrorCode.NONE);
      }
      assertThat(broker.health()).isEqualTo(Broker.Health.UP);
      files.mend();
      assertThat(produce(client, "spread", lost))
          .as("until the next start")
          .isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR);
    }

    try (Broker broker = start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(
              TestBroker.values(TestBroker.fetchOne(client, TestBroker.fetch("spread", lost, 0))))
          .containsExactly("value");
      assertThat(produce(client, "spread", lost)).isEqualTo(ErrorCode.NONE);
      assertThat(offlineFolders()).isZero();
    }
  }

  @Test
  @DisplayName("ST-10 without the folder of the metadata the broker is down, and says so")
  void st10_withoutTheFirstFolderTheBrokerIsDown() throws Exception {
    Broker broker = start();
    try (RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "spread", 2, Map.of());
      int inFirst = Files.exists(first.resolve("spread-0")) ? 0 : 1;
      assertThat(produce(client, "spread", inFirst)).isEqualTo(ErrorCode.NONE);

      files.breakUnder(first);
      assertThat(produce(client, "spread", inFirst)).isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR);

      assertThat(broker.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(broker.health()).isEqualTo(Broker.Health.DOWN);
      assertThat(broker.awaitTermination())
          .hasValueSatisfying(e -> assertThat(e).hasMessageContaining(first + " has failed"));
    } finally {
      files.mend();
      broker.close();
    }
  }

  @Test
  @DisplayName("ST-05 a topic that is made on a full disk can be used once there is room")
  void st05_aTopicMadeOnAFullDisk() throws Exception {
    try (Broker broker = TestBroker.in(first).files(files).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "before", 1, Map.of());
      // Room for one of the two only.
      files.fillUnder(first.resolve("late-0"));
      TestBroker.createTopic(broker.boundPort(), "late", 2, Map.of());
      assertThat(produce(client, "late", 0)).isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR);
      assertThat(produce(client, "late", 1)).isEqualTo(ErrorCode.NONE);
      assertThat(partition(client, "late", 0).offlineReplicas()).containsExactly(0);

      files.mend();
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(produce(client, "late", 0)).isEqualTo(ErrorCode.NONE));
      assertThat(partition(client, "late", 0).offlineReplicas()).isEmpty();
      assertThat(produce(client, "late", 1)).isEqualTo(ErrorCode.NONE);
    }
    try (Broker broker = TestBroker.in(first).files(files).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(TestBroker.values(TestBroker.fetchOne(client, TestBroker.fetch("late", 0, 0))))
          .containsExactly("value");
    }
  }

  private static ErrorCode produce(RawClient client, String topic, int partition)
      throws IOException {
    return ErrorCode.forCode(
        TestBroker.produce(client, topic, partition, TestBroker.batch("value")).errorCode());
  }

  private static long offlineFolders() throws Exception {
    Object value =
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName("kafka.log:type=LogManager,name=OfflineLogDirectoryCount"), "Value");
    return ((Number) value).longValue();
  }

  private static MetadataResponsePartition partition(RawClient client, String topic, int number)
      throws IOException {
    MetadataRequest request =
        new MetadataRequest()
            .setTopics(List.of(new MetadataRequest.MetadataRequestTopic().setName(topic)));
    return client
        .ask(ApiKey.METADATA, 9, request, MetadataResponse::new)
        .topics()
        .get(0)
        .partitions()
        .stream()
        .filter(each -> each.partitionIndex() == number)
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, ErrorCode> logDirErrors(RawClient client) throws IOException {
    return client
        .ask(
            ApiKey.DESCRIBE_LOG_DIRS,
            4,
            new DescribeLogDirsRequest().setTopics(null),
            DescribeLogDirsResponse::new)
        .results()
        .stream()
        .collect(
            Collectors.toMap(
                result -> result.logDir(), result -> ErrorCode.forCode(result.errorCode())));
  }
}
