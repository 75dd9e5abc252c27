package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static io.weirmq.server.TestBroker.fetch;
import static io.weirmq.server.TestBroker.fetchOne;
import static io.weirmq.server.TestBroker.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.server.config.ConfigException;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting and stopping brokers in one JVM: OP-01, OP-02, OP-05, OP-06, OP-09, GT-01, CC-06. */
final class BrokerLifecycleTest {

  private static final int ROUNDS = 25;

  @TempDir private Path folder;

  @Test
  void op01_leavesNoTraceHoweverOftenItIsStarted() throws Exception {
    startAskStop(); // classes, native libraries and pools stay with the JVM
    Set<String> filesBefore = openFiles();
    for (int round = 0; round < ROUNDS; round++) {
      int port = startAskStop();
      assertThat(brokerThreads()).as("threads after round %d", round).isEmpty();
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(free.getLocalPort()).isEqualTo(port);
      }
    }
    assertThat(openFiles()).as("open files").isSubsetOf(filesBefore);
  }

  private int startAskStop() throws Exception {
    Broker broker = TestBroker.in(folder).start();
    int port = broker.boundPort();
    try (RawClient client = RawClient.connect(port)) {
      MetadataResponse metadata =
          client.ask(ApiKey.METADATA, 9, allTopics(), MetadataResponse::new);
      assertThat(metadata.brokers()).hasSize(1);
      assertThat(metadata.brokers().get(0).port()).isEqualTo(port);
      if (metadata.topics().isEmpty()) {
        TestBroker.createTopic(port, "t", 1, Map.of());
      }
      produce(client, "t", 0, batch("x"));
    }
    broker.close();
    broker.close();
    assertThat(broker.health()).isEqualTo(Broker.Health.DOWN);
    assertThat(broker.awaitTermination(1, TimeUnit.SECONDS)).isTrue();
    return port;
  }

  @Test
  void op01_runsBesideAnother() throws Exception {
    try (Broker one = TestBroker.in(folder.resolve("one")).start();
        Broker two = TestBroker.in(folder.resolve("two")).start()) {
      assertThat(one.boundPort()).isNotEqualTo(two.boundPort());
      TestBroker.createTopic(one.boundPort(), "t", 1, Map.of());
      try (RawClient client = RawClient.connect(two.boundPort())) {
        assertThat(client.ask(ApiKey.METADATA, 9, allTopics(), MetadataResponse::new).topics())
            .isEmpty();
      }
    }
  }

  @Test
  void listensOnSeveralListenersAndTellsEachItsOwnAddress() throws Exception {
    try (Broker broker =
        TestBroker.in(folder)
            .set("listeners", "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0")
            .set("listener.security.protocol.map", "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT")
            .set("inter.broker.listener.name", "INSIDE")
            .set("advertised.listeners", "INSIDE://127.0.0.1:0,OUTSIDE://localhost:4711")
            .start()) {
      int inside = broker.boundPort("INSIDE");
      int outside = broker.boundPort("OUTSIDE");
      try (RawClient client = RawClient.connect(inside)) {
        assertThat(
                client
                    .ask(ApiKey.METADATA, 9, allTopics(), MetadataResponse::new)
                    .brokers()
                    .get(0)
                    .port())
            .isEqualTo(inside);
      }
      try (RawClient client = RawClient.connect(outside)) {
        MetadataResponse.MetadataResponseBroker told =
            client.ask(ApiKey.METADATA, 9, allTopics(), MetadataResponse::new).brokers().get(0);
        assertThat(told.host()).isEqualTo("localhost");
        assertThat(told.port()).isEqualTo(4711);
      }
    }
  }

  @Test
  void op06_refusesASecondBrokerOnTheSameFolder() throws Exception {
    try (Broker first = TestBroker.in(folder).start()) {
      assertThatThrownBy(() -> TestBroker.in(folder).start())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is in use by this process, pid " + ProcessHandle.current().pid());
      TestBroker.createTopic(first.boundPort(), "still-works", 1, Map.of());
    }
    TestBroker.in(folder).start().close();
  }

  @Test
  void closesWhatItHasOpenedWhereTheStartFails() throws Exception {
    TestBroker.in(folder).start().close();
    Set<String> filesBefore = openFiles();
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () ->
                  TestBroker.in(folder)
                      .set("listeners", "PLAINTEXT://127.0.0.1:" + taken.getLocalPort())
                      .start())
          .isInstanceOf(IOException.class)
          .hasMessageContaining(Integer.toString(taken.getLocalPort()));
    }
    assertThat(brokerThreads()).isEmpty();
    assertThat(openFiles()).isSubsetOf(filesBefore);
    TestBroker.in(folder).start().close();
  }

  @Test
  void refusesAnUnknownKeyBeforeItTouchesAnything() {
    assertThatThrownBy(
            () -> TestBroker.in(folder.resolve("untouched")).set("num.partition", "3").start())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("num.partition");
    assertThat(folder.resolve("untouched")).doesNotExist();
  }

  @Test
  void gt01_knowsAResentBatchAfterARestart() throws Exception {
    ByteBuffer third = null;
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      for (int sequence = 0; sequence < 3; sequence++) {
        third = idempotent(sequence);
        produce(client, "t", 0, third.duplicate());
      }
    }
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      ProduceResponse.PartitionProduceResponse again = produce(client, "t", 0, idempotent(2));
      assertThat(again.errorCode()).isZero();
      assertThat(again.baseOffset()).isEqualTo(2);
      assertThat(produce(client, "t", 0, idempotent(3)).baseOffset()).isEqualTo(3);
    }
  }

  @Test
  void cc06_raisesLeaderEpochsAndKeepsTopicIdsOverRestarts() throws Exception {
    MetadataResponse.MetadataResponseTopic before;
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      before = client.ask(ApiKey.METADATA, 12, allTopics(), MetadataResponse::new).topics().get(0);
    }
    try (Broker broker = TestBroker.in(folder).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      MetadataResponse.MetadataResponseTopic after =
          client.ask(ApiKey.METADATA, 12, allTopics(), MetadataResponse::new).topics().get(0);
      assertThat(after.topicId()).isEqualTo(before.topicId());
      assertThat(after.partitions().get(0).leaderEpoch())
          .isGreaterThan(before.partitions().get(0).leaderEpoch());
      assertThat(fetchOne(client, fetch("t", 0, 0)).errorCode()).isZero();
    }
  }

  @Test
  void op05_answersWhatItHasTakenInBeforeItStops() throws Exception {
    Broker broker = TestBroker.in(folder).start();
    TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
    try (RawClient waiting = RawClient.connect(broker.boundPort());
        RawClient producer = RawClient.connect(broker.boundPort())) {
      int fetchId =
          waiting.send(ApiKey.FETCH, 12, fetch("t", 0, 0).setMaxWaitMs(60_000).setMinBytes(9_999));
      int produceId = producer.send(ApiKey.PRODUCE, 9, TestBroker.produce("t", 0, 1, batch("a")));
      producer.receive(ApiKey.PRODUCE, 9, produceId, ProduceResponse::new);

      broker.close();

      FetchResponse fetched = waiting.receive(ApiKey.FETCH, 12, fetchId, FetchResponse::new);
      assertThat(fetched.errorCode()).isZero();
      assertThat(waiting.awaitEnd()).isTrue();
    }
  }

  @Test
  void op09_waitsByTheMonotonicClock() throws Exception {
    AtomicLong wallMs = new AtomicLong(1_700_000_000_000L);
    InstantSource wall = () -> Instant.ofEpochMilli(wallMs.get());
    try (Broker broker = TestBroker.in(folder).clocks(wall, System::nanoTime).start();
        RawClient client = RawClient.connect(broker.boundPort());
        RawClient other = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(
          broker.boundPort(), "t", 1, Map.of("message.timestamp.type", "LogAppendTime"));
      int fetchId = client.send(ApiKey.FETCH, 12, fetch("t", 0, 0).setMaxWaitMs(100));
      wallMs.addAndGet(-TimeUnit.HOURS.toMillis(1));
      assertThat(
              client
                  .receive(ApiKey.FETCH, 12, fetchId, FetchResponse::new)
                  .responses()
                  .get(0)
                  .partitions()
                  .get(0)
                  .errorCode())
          .isZero();
      assertThat(produce(other, "t", 0, batch("back")).logAppendTimeMs()).isEqualTo(wallMs.get());
      wallMs.addAndGet(TimeUnit.HOURS.toMillis(2));
      assertThat(produce(other, "t", 0, batch("forth")).logAppendTimeMs()).isEqualTo(wallMs.get());
      assertThat(broker.health()).isEqualTo(Broker.Health.UP);
    }
  }

  private static MetadataRequest allTopics() {
    return new MetadataRequest().setTopics(null);
  }

  private static ByteBuffer idempotent(int sequence) {
    return new RecordBatchBuilder()
        .producer(77, (short) 0, sequence)
        .append(1, null, ByteBuffer.wrap(new byte[] {(byte) sequence}))
        .build();
  }

  private static List<String> brokerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.startsWith("mq-"))
        .toList();
  }

  /**
   * What the descriptors of this process point to, but for those that come and go by themselves.
   */
  private static Set<String> openFiles() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .map(BrokerLifecycleTest::target)
          .filter(target -> !target.isEmpty() && !target.contains("/proc/"))
          .map(target -> target.replaceAll("\\[\\d+\\]", "[]"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile, such as the one of the listing itself
    }
  }
}
