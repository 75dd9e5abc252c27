package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static io.weirmq.server.TestBroker.batchOf;
import static io.weirmq.server.TestBroker.fetch;
import static io.weirmq.server.TestBroker.fetchOne;
import static io.weirmq.server.TestBroker.produce;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceRequest;
import io.weirmq.protocol.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask too much, and disks that take too long: NT-01, OP-04, time-outs, bad input. */
final class BrokerBackPressureTest {

  @TempDir private Path folder;

  @Test
  void nt01_keepsServingOthersBesideAClientThatDoesNotRead() throws Exception {
    try (Broker broker = TestBroker.in(folder).start();
        RawClient deaf = RawClient.connect(broker.boundPort());
        RawClient other = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      for (int i = 0; i < 20; i++) {
        produce(other, "t", 0, batchOf(900_000));
      }
      int first = 0;
      int asked = 300;
      for (int i = 0; i < asked; i++) {
        int id = deaf.send(ApiKey.FETCH, 12, fetch("t", 0, 0));
        first = i == 0 ? id : first;
      }
      // Three gigabytes are wanted; the other client must not notice.
      for (int i = 0; i < 50; i++) {
        assertThat(produce(other, "t", 0, batch("small")).errorCode()).isZero();
      }

      for (int i = 0; i < asked; i++) {
        FetchResponse response = deaf.receive(ApiKey.FETCH, 12, first + i, FetchResponse::new);
        assertThat(TestBroker.bytes(response.responses().get(0).partitions().get(0)).remaining())
            .isGreaterThan(9_000_000);
      }
    }
  }

  @Test
  void op04_keepsTheOrderOfEachConnectionThroughATinyRing() throws Exception {
    int connections = 12;
    int requests = 40;
    try (Broker broker = TestBroker.in(folder).set("weirmq.append.ring.size", "8").start()) {
      TestBroker.createTopic(broker.boundPort(), "t", connections, Map.of());
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        clients.add(RawClient.connect(broker.boundPort()));
      }
      for (int request = 0; request < requests; request++) {
        for (int i = 0; i < connections; i++) {
          clients.get(i).send(ApiKey.PRODUCE, 9, produceAll(connections, i + ":" + request));
        }
      }
      for (int i = 0; i < connections; i++) {
        for (int request = 1; request <= requests; request++) {
          ProduceResponse response =
              clients.get(i).receive(ApiKey.PRODUCE, 9, request, ProduceResponse::new);
          assertThat(response.responses().get(0).partitionResponses())
              .hasSize(connections)
              .allSatisfy(each -> assertThat(each.errorCode()).isZero());
        }
      }
      for (int partition = 0; partition < connections; partition++) {
        List<String> values = TestBroker.values(fetchOne(clients.get(0), fetch("t", partition, 0)));
        assertThat(values).hasSize(connections * requests);
        for (int i = 0; i < connections; i++) {
          String prefix = i + ":";
          assertThat(values.stream().filter(value -> value.startsWith(prefix)))
              .as("partition %d, connection %d", partition, i)
              .isSortedAccordingTo((a, b) -> Integer.compare(number(a), number(b)));
        }
      }
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  private static int number(String value) {
    return Integer.parseInt(value.substring(value.indexOf(':') + 1));
  }

  private static ProduceRequest produceAll(int partitions, String value) {
    ProduceRequest request = produce("t", 0, 1, batch(value));
    List<ProduceRequest.PartitionProduceData> all = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      all.add(produce("t", partition, 1, batch(value)).topicData().get(0).partitionData().get(0));
    }
    request.topicData().get(0).setPartitionData(all);
    return request;
  }

  @Test
  void tellsWhenReplicasDoNotHaveABatchInTime() throws Exception {
    FailingFiles files = new FailingFiles();
    CountDownLatch release = new CountDownLatch(1);
    try (Broker broker = TestBroker.in(folder).files(files).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      files.blockOn(name -> name.endsWith(".log"), release);
      ProduceRequest request = produce("t", 0, -1, batch("late")).setTimeoutMs(10);

      ProduceResponse response = client.ask(ApiKey.PRODUCE, 9, request, ProduceResponse::new);

      assertThat(response.responses().get(0).partitionResponses().get(0).errorCode())
          .isEqualTo(ErrorCode.REQUEST_TIMED_OUT.code());
      release.countDown();
      assertThat(produce(client, "t", 0, batch("next")).baseOffset()).isEqualTo(1);
    }
  }

  @Test
  void survivesRandomBodiesOfEveryApi() throws Exception {
    Random random = new Random(5);
    try (Broker broker = TestBroker.in(folder).start()) {
      for (ApiKey key : ApiKey.values()) {
        for (int round = 0; key.hasVersions() && round < 4; round++) {
          int version =
              key.lowestVersion() + random.nextInt(key.highestVersion() - key.lowestVersion() + 1);
          byte[] body = new byte[random.nextInt(60)];
          random.nextBytes(body);
          ByteBuffer frame = ByteBuffer.allocate(12 + body.length);
          frame.putShort(key.id()).putShort((short) version).putInt(1).putShort((short) -1);
          frame.put(body).flip();
          try (RawClient client = RawClient.connect(broker.boundPort())) {
            client.sendFrame(frame);
            client.sendFrame(ByteBuffer.wrap(new byte[] {0, 1}));
            // Whatever it was taken for: the second frame ends the connection at the latest.
            client.drainUntilEnd();
          }
        }
      }
      try (RawClient client = RawClient.connect(broker.boundPort())) {
        MetadataResponse metadata =
            client.ask(
                ApiKey.METADATA,
                9,
                new MetadataRequest().setTopics(List.of()),
                MetadataResponse::new);
        assertThat(metadata.brokers()).hasSize(1);
      }
      assertThat(broker.health()).isEqualTo(Broker.Health.UP);
    }
  }
}
