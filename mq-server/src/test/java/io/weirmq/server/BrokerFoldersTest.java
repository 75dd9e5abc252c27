package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.message.DescribeLogDirsRequest;
import io.weirmq.protocol.message.DescribeLogDirsResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponsePartition;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data folder that fails takes its own partitions offline, and no other. */
class BrokerFoldersTest {

  @TempDir static Path temporary;

  private final Path home = temporary.resolve(UUID.randomUUID().toString());
  private final Path first = home.resolve("first");
  private final Path second = home.resolve("second");

  private Broker.Builder broker() {
    return TestBroker.in(first).set("log.dirs", first + "," + second);
  }

  @Test
  void aFolderThatCantBeOpenedCostsItsPartitionsOnly_andTheyComeBackWithIt() throws Exception {
    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "spread", 2, Map.of());
      for (int partition = 0; partition < 2; partition++) {
        assertThat(
                TestBroker.produce(client, "spread", partition, TestBroker.batch("p" + partition))
                    .errorCode())
            .isZero();
      }
    }
    int lost = Files.exists(second.resolve("spread-0")) ? 0 : 1;
    assertThat(second.resolve("spread-" + lost)).isDirectory();
    Path aside = home.resolve("aside");
    Files.move(second, aside);
    Files.writeString(second, "no folder");

    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(
              TestBroker.produce(client, "spread", 1 - lost, TestBroker.batch("more")).errorCode())
          .isZero();
      assertThat(TestBroker.produce(client, "spread", lost, TestBroker.batch("x")).errorCode())
          .isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR.code());
      assertThat(TestBroker.fetchOne(client, TestBroker.fetch("spread", lost, 0)).errorCode())
          .isEqualTo(ErrorCode.KAFKA_STORAGE_ERROR.code());
      MetadataResponsePartition told = partition(client, "spread", lost);
      assertThat(told.errorCode()).isEqualTo(ErrorCode.LEADER_NOT_AVAILABLE.code());
      assertThat(told.leaderId()).isEqualTo(-1);
      assertThat(told.offlineReplicas()).isEqualTo(told.replicaNodes());
      assertThat(partition(client, "spread", 1 - lost).offlineReplicas()).isEmpty();
      toolsReachTheOther(broker.boundPort(), lost);
      assertThat(logDirErrors(client))
          .containsExactlyInAnyOrder(
              Map.entry(first.toString(), ErrorCode.NONE.code()),
              Map.entry(second.toString(), ErrorCode.KAFKA_STORAGE_ERROR.code()));

      TestBroker.createTopic(broker.boundPort(), "new", 3, Map.of());
      for (int partition = 0; partition < 3; partition++) {
        assertThat(TestBroker.produce(client, "new", partition, TestBroker.batch("n")).errorCode())
            .isZero();
      }
    }
    assertThat(first.resolve("spread-" + lost)).as("not made anew, empty").doesNotExist();

    Files.delete(second);
    Files.move(aside, second);
    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(
              TestBroker.values(TestBroker.fetchOne(client, TestBroker.fetch("spread", lost, 0))))
          .containsExactly("p" + lost);
      assertThat(partition(client, "spread", lost).errorCode()).isZero();
    }
  }

  @Test
  void withoutTheFolderOfTheMetadataTheBrokerRefusesToStart() throws Exception {
    broker().start().close();
    Files.move(first, home.resolve("aside"));
    Files.writeString(first, "no folder");

    assertThatThrownBy(() -> broker().start())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(first.toString())
        .hasMessageContaining("metadata");
  }

  @Test
  void aFolderOfAnotherBrokerIsNoFailureToWorkAround() throws Exception {
    broker().start().close();
    Path other = home.resolve("other");
    TestBroker.in(other).set("node.id", "7").start().close();

    assertThatThrownBy(() -> TestBroker.in(first).set("log.dirs", first + "," + other).start())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(other.toString());
  }

  private static void toolsReachTheOther(int port, int lost) throws IOException {
    try (Transport transport = TransportProviders.open("tcp", TransportOptions.defaults());
        ClusterClient tool =
            new ClusterClient(
                transport,
                List.of(Endpoint.tcp("127.0.0.1", port)),
                "tool",
                Duration.ofSeconds(30))) {
      assertThat(tool.topic("spread", false, number -> number != lost).partitions()).hasSize(2);
      assertThatThrownBy(() -> tool.topic("spread", false, number -> number == lost))
          .isInstanceOf(IOException.class)
          .hasMessage("topic \"spread\": partitions [%d] have no leader", lost);
    }
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

  private static List<Map.Entry<String, Short>> logDirErrors(RawClient client) throws IOException {
    return client
        .ask(
            ApiKey.DESCRIBE_LOG_DIRS,
            4,
            new DescribeLogDirsRequest().setTopics(null),
            DescribeLogDirsResponse::new)
        .results()
        .stream()
        .map(result -> Map.entry(result.logDir(), result.errorCode()))
        .toList();
  }
}
