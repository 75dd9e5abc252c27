package io.weirmq.server;

import static io.weirmq.server.TestBroker.batch;
import static io.weirmq.server.TestBroker.batchOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.testkit.host.TinyMemory;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Clients of the broker's host and user, through shared memory, beside others with TCP. */
final class SharedMemoryTest {

  private static final String PUBLISHED = "io.weirmq:type=DirectRead,name=PublishedPartitionCount";

  @TempDir private Path folder;
  private final LocalEndpoints places = LocalEndpoints.ofSystem();
  private final Transport transport =
      TransportProviders.open("shm", TransportOptions.defaults().withIoThreads(1, "test-shm"));
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listenToTheLog() {
    log.start();
    root().addAppender(log);
  }

  @AfterEach
  void closeTransport() {
    root().detachAppender(log);
    transport.close();
  }

  @Test
  void servesTheSameRecordsThroughBothTransports() throws Exception {
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        LocalClient local = connect(broker)) {
      assertThat(createTopic(local, "t")).isZero();
      assertThat(local.produce("t", batch("local 0", "local 1"))).isZero();
      try (KafkaProducer<String, String> producer =
          new KafkaProducer<>(
              kafkaConfig(broker), new StringSerializer(), new StringSerializer())) {
        assertThat(
                producer
                    .send(new ProducerRecord<>("t", "remote 2"))
                    .get(30, TimeUnit.SECONDS)
                    .offset())
            .isEqualTo(2);
      }
      List<String> all = List.of("local 0", "local 1", "remote 2");

      // The broker rolls a segment between the first two, of 2023, and the third.
      List<String> fetched = new ArrayList<>();
      while (fetched.size() < all.size()) {
        fetched.addAll(local.fetch("t", fetched.size()));
      }
      assertThat(fetched).isEqualTo(all);
      assertThat(consume(broker, "t", 3)).isEqualTo(all);
    }
  }

  @Test
  void tellsTheAddressOfTheFirstPort() throws Exception {
    try (Broker broker =
            TestBroker.in(folder.resolve("data"))
                .set("listeners", "SHM://,A://127.0.0.1:0,B://127.0.0.1:0")
                .set("listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT,SHM:SHM")
                .set("advertised.listeners", "A://a.example:1,B://b.example:2")
                .start();
        LocalClient local = LocalClient.connect(transport, endpoint(broker))) {
      assertThat(broker.endpoints().keySet()).containsExactly("A", "B", "SHM");
      assertThat(broker.advertisedListeners()).hasSize(2);
      assertThat(endpoint(broker)).isEqualTo(places.defaultEndpoint(broker.boundPort("A")));
      assertThat(places.find("127.0.0.1", broker.boundPort("A"))).contains(endpoint(broker));
      assertThat(places.find("127.0.0.1", broker.boundPort("B"))).contains(endpoint(broker));

      List<String> told =
          local.ask(
              ApiKey.METADATA,
              9,
              new MetadataRequest().setTopics(List.of()),
              MetadataResponse.class,
              response ->
                  response.brokers().stream()
                      .map(each -> each.host() + ":" + each.port())
                      .toList());

      assertThat(told).containsExactly("a.example:1");
    }
  }

  @Test
  void toolsReachABrokerByItsPath() throws Exception {
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        LocalClient local = connect(broker)) {
      createTopic(local, "t");
      List<Endpoint> bootstrap = ClusterClient.parseBootstrap(endpoint(broker).toString());
      try (ClusterClient client =
          new ClusterClient(transport, bootstrap, "tool", Duration.ofSeconds(30))) {
        assertThat(bootstrap).containsExactly(endpoint(broker));
        assertThat(client.topic("t", false).partitions()).hasSize(1);
        assertThat(client.leader("t", 0).channel().endpoint()).isEqualTo(endpoint(broker));
        assertThat(client.groupCoordinator("g").channel().endpoint()).isEqualTo(endpoint(broker));
      }
    }
  }

  @Test
  void aStopLeavesNothing() throws Exception {
    Path chosen = folder.resolve("chosen");
    int port;
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        Broker named = start("SHM://" + chosen);
        LocalClient local = connect(broker);
        LocalClient other = connect(named)) {
      port = broker.boundPort();
      assertThat(endpoint(broker)).as("brokers of one JVM").isNotEqualTo(endpoint(named));
      assertThat(createTopic(local, "t")).isZero();
      assertThat(createTopic(other, "t")).isZero();
      assertThat(places.runtimeFolder().resolve("node-" + port)).isDirectory();
    }

    assertThat(places.find("127.0.0.1", port)).isEmpty();
    assertThat(places.runtimeFolder().resolve("node-" + port)).doesNotExist();
    assertThat(places.runtimeFolder().resolve(port + ".endpoint")).doesNotExist();
    assertThat(chosen).isEmptyDirectory();
  }

  @Test
  void aRuntimeFolderThatIsRemovedIsMadeAnew_andConnectionsStay() throws Exception {
    Path parent = Files.createDirectory(folder.resolve("user"));
    LocalEndpoints own = LocalEndpoints.in(parent.resolve("run"));
    try (Broker broker = TestBroker.in(folder.resolve("data")).localEndpoints(own).start();
        LocalClient before = LocalClient.connect(transport, endpoint(broker))) {
      assertThat(createTopic(before, "t")).isZero();
      // In one step, so that no look of the broker's falls between.
      Files.move(parent, folder.resolve("removed"));

      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> own.find("127.0.0.1", broker.boundPort()).isPresent());

      assertThat(own.find("127.0.0.1", broker.boundPort())).contains(endpoint(broker));
      try (LocalClient after = LocalClient.connect(transport, endpoint(broker))) {
        assertThat(after.produce("t", batch("after"))).isZero();
        assertThat(before.fetch("t", 0)).containsExactly("after");
      }
      assertThat(metric("connection-creation-total", "SHM")).isEqualTo(2L);
      assertThat(warnings()).singleElement().asString().contains("was removed", "made anew");
    }
    assertThat(own.runtimeFolder()).isEmptyDirectory();
  }

  @Test
  void canBeSwitchedOff() throws Exception {
    int port = FreePort.find();
    places.publish("127.0.0.1", port, places.defaultEndpoint(port)); // as by one that was killed
    try (Broker broker =
        TestBroker.in(folder.resolve("data"))
            .set("listeners", "PLAINTEXT://127.0.0.1:" + port)
            .set("shm.listener.enable", "false")
            .start()) {
      assertThat(broker.endpoints().keySet()).containsExactly("PLAINTEXT");
      assertThat(places.find("127.0.0.1", port)).isEmpty();
      assertThat(places.runtimeFolder().resolve(port + ".endpoint")).doesNotExist();
    }
    assertThat(warnings()).isEmpty();
  }

  @Test
  void sm14_warnsOnceWhereTheDefaultCanNotBeHad() throws Exception {
    LocalEndpoints impossible = LocalEndpoints.in(Files.createFile(folder.resolve("file")));
    try (Broker broker = TestBroker.in(folder.resolve("data")).localEndpoints(impossible).start()) {
      assertThat(broker.endpoints().keySet()).containsExactly("PLAINTEXT");
      assertThat(warnings())
          .singleElement()
          .asString()
          .contains("served by port alone", folder + "/file is not a folder")
          .contains("shm.listener.enable=false");
      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
    }
  }

  @Test
  void sm14_warnsOfWhatFailedWhereAndAsWhom() throws Exception {
    Path impossible = folder.resolve("missing").resolve("weirmq");
    try (Broker broker =
        TestBroker.in(folder.resolve("data"))
            .localEndpoints(LocalEndpoints.in(impossible))
            .start()) {
      assertThat(broker.endpoints().keySet()).containsExactly("PLAINTEXT");
      assertThat(warnings())
          .singleElement()
          .asString()
          .contains(
              "%s can't be made as user %s: no such file or folder"
                  .formatted(impossible, Files.getAttribute(Path.of("/proc/self"), "unix:uid")));
    }
  }

  @Test
  void sm14_doesNotStartWithoutWhatItWasAskedFor() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));

    assertThatThrownBy(() -> start("SHM://" + file).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("shared memory can't be used: cannot listen on shm:" + file)
        .hasMessageContaining("is not a folder");
    assertThatThrownBy(
            () ->
                TestBroker.in(folder.resolve("data"))
                    .set("listeners", "PLAINTEXT://127.0.0.1:0,SHM://" + folder.resolve("chosen"))
                    .set("shm.group", "no-such-group")
                    .start()
                    .close())
        .isInstanceOf(IOException.class)
        .hasMessage(
            "shared memory can't be used: group 'no-such-group' is not known to this system");
    try (Broker first = start("SHM://" + folder.resolve("chosen"))) {
      assertThatThrownBy(() -> start("SHM://" + folder.resolve("chosen")).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is in use");
      assertThat(connectAndFetchNothing(first)).isEmpty();
    }
  }

  @Test
  void sm05_withoutRoomOnlySharedMemoryIsRefused() throws Exception {
    try (TinyMemory memory = TinyMemory.mount(folder);
        Broker broker = start("SHM://" + memory.path() + "/s");
        RawClient remote = RawClient.connect(broker.boundPort())) {
      assertThatThrownBy(() -> connect(broker).close())
          .hasStackTraceContaining("bytes are needed")
          .hasStackTraceContaining("--shm-size");

      TestBroker.createTopic(broker.boundPort(), "t", 1, Map.of());
      assertThat(TestBroker.produce(remote, "t", 0, batch("v")).errorCode()).isZero();
      assertThat(broker.health()).isEqualTo(Broker.Health.UP);
    }
  }

  @Test
  void sm07_aStalledConsumerStopsNobodyElse() throws Exception {
    int responses = 40;
    String value = "v".repeat(500_000);
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        LocalClient local = connect(broker);
        RawClient remote = RawClient.connect(broker.boundPort())) {
      createTopic(local, "t");
      local.produce("t", batchOf(value.length()));
      StalledConsumer stalled = StalledConsumer.connect(transport, endpoint(broker));
      for (int i = 0; i < responses; i++) {
        stalled.sendFetch("t");
      }

      // Twenty times the ring and the watermark, through both transports.
      for (int i = 0; i < responses; i++) {
        assertThat(local.fetch("t", 0)).hasSize(1);
        assertThat(TestBroker.values(TestBroker.fetchOne(remote, TestBroker.fetch("t", 0, 0))))
            .containsExactly(value);
      }

      assertThat(stalled.receivedCount()).as("it has not read on").isZero();
      assertThat(local.produce("t", batch("next"))).isEqualTo(1);
      stalled.resume();
      await().atMost(Duration.ofSeconds(60)).until(() -> stalled.receivedCount() == responses);
    }
  }

  /** Records are read from files when they are sent; what is in memory is bounded by a cut. */
  @Test
  void sm07_aConsumerThatLetsTooMuchPileUpInMemoryIsCut() throws Exception {
    List<String> names = IntStream.range(0, 2_000).mapToObj(i -> "t".repeat(200) + i).toList();
    try (Broker broker =
            TestBroker.in(folder.resolve("data"))
                .set("weirmq.connection.response.bytes.max", "1048576")
                .start();
        LocalClient local = connect(broker)) {
      createTopic(local, "t");
      StalledConsumer stalled = StalledConsumer.connect(transport, endpoint(broker));
      awaitConnections(2);
      // 400 KB each: the ring of 1 MiB, and as much in memory, are full with the sixth.
      for (int i = 0; i < 10; i++) {
        stalled.sendMetadata(names);
      }

      awaitConnections(1);
      assertThat(stalled.receivedCount()).as("it has not read on").isZero();
      stalled.resume();
      await().atMost(Duration.ofSeconds(60)).until(stalled::isCut);
      assertThat(local.produce("t", batch("next"))).isZero();
    }
  }

  @Test
  void showsTheCountersOfEachListener() throws Exception {
    try (Broker broker = TestBroker.in(folder.resolve("data")).start();
        LocalClient local = connect(broker);
        RawClient remote = RawClient.connect(broker.boundPort())) {
      assertThat(createTopic(local, "t")).isZero();
      assertThat(TestBroker.produce(remote, "t", 0, batch("v")).errorCode()).isZero();

      for (String listener : List.of("PLAINTEXT", "SHM")) {
        assertThat(metric("connection-count", listener)).isEqualTo(1L);
        assertThat(metric("connection-creation-total", listener)).isEqualTo(1L);
        assertThat(metric("connection-refused-total", listener)).isEqualTo(0L);
        assertThat(metric("framing-error-total", listener)).isEqualTo(0L);
      }
      // Each has asked for the versions or a topic, and sent a request of known size besides.
      assertThat(metric("incoming-request-total", "SHM")).isEqualTo(2L);
      assertThat(metric("outgoing-response-total", "SHM")).isEqualTo(2L);
      assertThat(metric("in-flight-request-count", "SHM")).isEqualTo(0L);
      long requestBytes = (long) metric("incoming-byte-total", "PLAINTEXT");
      long responseBytes = (long) metric("outgoing-byte-total", "PLAINTEXT");
      TestBroker.produce(remote, "t", 0, batchOf(10_000));
      assertThat((long) metric("incoming-byte-total", "PLAINTEXT") - requestBytes)
          .isBetween(10_061L, 10_261L);
      assertThat(TestBroker.fetchOne(remote, TestBroker.fetch("t", 0, 1)).errorCode()).isZero();
      assertThat((long) metric("outgoing-byte-total", "PLAINTEXT") - responseBytes)
          .isBetween(10_061L, 10_361L);
      assertThat((long) metric("bell-total", "SHM")).isNotNegative();
      assertThat((long) metric("io-thread-sleep-total", "SHM")).isPositive();
      assertThat(metric("ring-full-total", "SHM")).isEqualTo(0L);
      assertThat(
              (int)
                  value(
                      "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize"
                          + ",delayedOperation=Fetch"))
          .isZero();

      assertThat(value(PUBLISHED)).isEqualTo(0);
      local.ask(
          ApiKey.DIRECT_READ,
          0,
          new DirectReadRequest().setTopic("t").setMaxBytes(1_000),
          DirectReadResponse.class,
          response -> assertThat(response.offsetsPath()).isNotEmpty());
      assertThat(value(PUBLISHED)).isEqualTo(1);
    }
  }

  @Test
  void namesTheUserOfAClientInTheLog() throws Exception {
    try (Broker broker = TestBroker.in(folder.resolve("data")).start()) {
      StalledConsumer bad = StalledConsumer.connect(transport, endpoint(broker));
      bad.sendNonsense();

      String user = Files.getOwner(folder).getName();
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(warnings())
                      .anySatisfy(
                          line -> assertThat(line).contains("(User:" + user + " on SHM) closed")));
    }
  }

  private static void awaitConnections(long count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(metric("connection-count", "SHM")).isEqualTo(count));
  }

  private Broker start(String local) throws Exception {
    return TestBroker.in(folder.resolve("data of " + local.replace('/', '_')))
        .set("listeners", "PLAINTEXT://127.0.0.1:0," + local)
        .start();
  }

  private LocalClient connect(Broker broker) throws Exception {
    return LocalClient.connect(
        transport, places.find("127.0.0.1", broker.boundPort()).orElseThrow());
  }

  private List<String> connectAndFetchNothing(Broker broker) throws Exception {
    try (LocalClient client = connect(broker)) {
      createTopic(client, "t");
      return client.fetch("t", 0);
    }
  }

  private static Endpoint endpoint(Broker broker) {
    return Objects.requireNonNull(broker.endpoints().get("SHM"), "SHM");
  }

  private static int createTopic(LocalClient client, String name) throws Exception {
    CreateTopicsRequest.CreatableTopic topic =
        new CreateTopicsRequest.CreatableTopic()
            .setName(name)
            .setNumPartitions(1)
            .setReplicationFactor((short) 1);
    return client.ask(
        ApiKey.CREATE_TOPICS,
        5,
        new CreateTopicsRequest().setTopics(List.of(topic)).setTimeoutMs(10_000),
        CreateTopicsResponse.class,
        response -> (int) response.topics().get(0).errorCode());
  }

  private static List<String> consume(Broker broker, String topic, int count) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            kafkaConfig(broker), new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (values.size() < count) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          values.add(record.value());
        }
      }
    }
    return values;
  }

  private static Map<String, Object> kafkaConfig(Broker broker) {
    return Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  private static Object metric(String name, String listener) throws Exception {
    return value(
        "kafka.server:type=socket-server-metrics,name=%s,listener=%s".formatted(name, listener));
  }

  private static Object value(String bean) throws Exception {
    return ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(bean), "Value");
  }

  private List<String> warnings() {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
