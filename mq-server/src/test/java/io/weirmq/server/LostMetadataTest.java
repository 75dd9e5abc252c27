package io.weirmq.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A broker whose metadata file is damaged or gone, and Kafka's own client. */
class LostMetadataTest {

  private static final int PARTITIONS = 3;
  private static final int RECORDS = 60;
  private static final int COMMITTED = 40;
  private static final String GROUP = "readers";

  @TempDir static Path temporary;

  private final Path home = temporary.resolve(UUID.randomUUID().toString());
  private final Path first = home.resolve("first");
  private final Path second = home.resolve("second");
  private final Path file = first.resolve("weirmq-metadata");
  private final Path previous = first.resolve("weirmq-metadata.previous");

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.weirmq.replication.metadata");
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  private Map<String, String> topicIds = Map.of();

  enum Damage {
    MISSING,
    EMPTY,
    ZEROS,
    CUT_IN_A_LINE,
    GARBAGE_BEHIND,
    BAD_CHECKSUM;

    void to(Path file) throws Exception {
      byte[] content = Files.readAllBytes(file);
      switch (this) {
        case MISSING -> Files.delete(file);
        case EMPTY -> Files.write(file, new byte[0]);
        case ZEROS -> Files.write(file, new byte[content.length]);
        case CUT_IN_A_LINE -> Files.write(file, Arrays.copyOf(content, content.length / 2));
        case GARBAGE_BEHIND -> Files.write(file, Arrays.copyOf(content, content.length + 9));
        case BAD_CHECKSUM -> {
          content[content.length - 3] ^= 1;
          Files.write(file, content);
        }
      }
    }
  }

  static Stream<Arguments> damages() {
    return Stream.of(Damage.values())
        .flatMap(damage -> Stream.of(Arguments.of(damage, false), Arguments.of(damage, true)));
  }

  @BeforeEach
  void fill() throws Exception {
    told.start();
    logger.addAppender(told);
    try (Broker broker = broker().start()) {
      try (Admin admin = Admin.create(config(broker))) {
        admin
            .createTopics(
                List.of(
                    new NewTopic("orders", PARTITIONS, (short) 1)
                        .configs(Map.of("retention.ms", "123456789012")),
                    new NewTopic("gone", 1, (short) 1)))
            .all()
            .get();
      }
      produce(broker, 0, RECORDS);
      assertThat(consume(broker, COMMITTED)).hasSize(COMMITTED);
      try (Admin admin = Admin.create(config(broker))) {
        admin.deleteTopics(List.of("gone")).all().get();
      }
      topicIds = topicIds(broker);
      assertThat(topicIds.keySet()).containsExactly("__consumer_offsets", "orders");
    }
    // So that the copy knows the topics.
    broker().start().close();
    told.list.clear();
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(told);
  }

  @ParameterizedTest(name = "ST-07 {0}, the copy too: {1}")
  @MethodSource("damages")
  @DisplayName("ST-07 the broker starts, and everything is there")
  void st07_startsWithEverything(Damage damage, boolean copyToo) throws Exception {
    byte[] before = Files.readAllBytes(file);
    damage.to(file);
    byte[] damaged = damage == Damage.MISSING ? new byte[0] : Files.readAllBytes(file);
    if (copyToo) {
      damage.to(previous);
    }

    try (Broker broker = broker().start()) {
      assertThat(topicIds(broker)).isEqualTo(topicIds);
      boolean lost = copyToo && damage != Damage.GARBAGE_BEHIND;
      assertThat(configs(broker, "orders"))
          .containsEntry("retention.ms", lost ? "-1" : "123456789012");
      assertThat(configs(broker, "__consumer_offsets")).containsEntry("cleanup.policy", "compact");
      produce(broker, RECORDS, 20);
      assertThat(consume(broker, RECORDS + 20 - COMMITTED))
          .as("from the offsets that the group had committed on")
          .hasSize(RECORDS + 20 - COMMITTED)
          .doesNotHaveDuplicates();
      assertThat(readAll(broker))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, RECORDS + 20).mapToObj(i -> "value " + i).toList());
    }

    if (damage != Damage.MISSING) {
      assertThat(first.resolve("weirmq-metadata.damaged-1")).hasBinaryContent(damaged);
    }
    assertThat(told.list)
        .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
        .anyMatch(
            line ->
                line.toList().get(0).equals(Level.WARN)
                    && String.valueOf(line.toList().get(1)).contains(file.toString()));
    assertThat(producerIdsFrom(Files.readAllLines(file)))
        .as("ids of before are not used again")
        .isGreaterThanOrEqualTo(
            producerIdsFrom(List.of(new String(before, UTF_8).split("\n", -1))));
    told.list.clear();
    try (Broker broker = broker().start()) {
      assertThat(topicIds(broker)).isEqualTo(topicIds);
    }
    assertThat(told.list).as("whole again").isEmpty();
  }

  @Test
  @DisplayName("ST-07 partitions of a folder that can't be read are not made anew")
  void st07_aFolderIsMissingToo() throws Exception {
    Damage.EMPTY.to(file);
    Damage.EMPTY.to(previous);
    Path aside = home.resolve("aside");
    Files.move(second, aside);
    Files.writeString(second, "no folder");
    List<Integer> there = partitionsIn(first);
    assertThat(there).isNotEmpty().hasSizeLessThan(PARTITIONS);

    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      for (int partition : there) {
        assertThat(
                TestBroker.produce(client, "orders", partition, TestBroker.batch("more"))
                    .errorCode())
            .isZero();
      }
    }
    assertThat(partitionsIn(first)).isEqualTo(there);

    Files.delete(second);
    Files.move(aside, second);
    try (Broker broker = broker().start()) {
      assertThat(topicIds(broker).get("orders")).isEqualTo(topicIds.get("orders"));
      assertThat(readAll(broker)).contains("more");
    }
  }

  @Test
  @DisplayName("ST-07 no new cluster begins beside old logs where the first folder is empty")
  void st07_anEmptyFirstFolderBesideAUsedOneIsRefused() throws Exception {
    Path aside = home.resolve("aside");
    Files.move(first, aside);
    Files.createDirectory(first);
    // Without it nothing but the logs tells that the folder was used.
    Files.delete(second.resolve("meta.properties"));

    for (int start = 0; start < 2; start++) {
      assertThatThrownBy(() -> broker().start())
          .hasStackTraceContaining(first + ", the first of log.dirs, has neither metadata nor logs")
          .hasStackTraceContaining("name " + second + " first in log.dirs");
    }
    assertThat(first.resolve("weirmq-metadata")).doesNotExist();

    List<Integer> there = partitionsIn(second);
    assertThat(there).isNotEmpty();
    try (Broker broker = TestBroker.in(second).set("log.dirs", second + "," + first).start()) {
      assertThat(idOf(topicIds(broker), "orders")).isEqualTo(idOf(topicIds, "orders"));
    }
  }

  private static String idOf(Map<String, String> idsAndPartitions, String topic) {
    return Objects.requireNonNull(idsAndPartitions.get(topic)).split(" ", 2)[0];
  }

  private Broker.Builder broker() {
    return TestBroker.in(first).set("log.dirs", first + "," + second);
  }

  private List<Integer> partitionsIn(Path folder) {
    return IntStream.range(0, PARTITIONS)
        .filter(partition -> Files.exists(folder.resolve("orders-" + partition)))
        .boxed()
        .toList();
  }

  private static long producerIdsFrom(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("next-producer-id "))
        .mapToLong(line -> Long.parseLong(line.substring("next-producer-id ".length())))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, Object> config(Broker broker) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", "127.0.0.1:" + broker.boundPort());
    return config;
  }

  private static void produce(Broker broker, int from, int count) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config(broker), new StringSerializer(), new StringSerializer())) {
      for (int i = from; i < from + count; i++) {
        producer
            .send(new ProducerRecord<>("orders", i % PARTITIONS, null, "value " + i))
            .get(30, TimeUnit.SECONDS);
      }
    }
  }

  /** Reads on in the group, and commits so many records. */
  private static List<String> consume(Broker broker, int count) {
    Map<String, Object> config = config(broker);
    config.put("group.id", GROUP);
    config.put("auto.offset.reset", "earliest");
    config.put("enable.auto.commit", "false");
    config.put("max.poll.records", "5");
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of("orders"));
      while (values.size() < count) {
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofSeconds(1))) {
          values.add(each.value());
        }
      }
      consumer.commitSync();
    }
    return values;
  }

  private static List<String> readAll(Broker broker) {
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(config(broker), new StringDeserializer(), new StringDeserializer())) {
      var partitions =
          consumer.partitionsFor("orders").stream()
              .filter(info -> info.leader() != null)
              .map(info -> new org.apache.kafka.common.TopicPartition("orders", info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long expected =
          consumer.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
      while (values.size() < expected) {
        consumer.poll(Duration.ofSeconds(1)).forEach(each -> values.add(each.value()));
      }
    }
    return values;
  }

  private static Map<String, String> topicIds(Broker broker) throws Exception {
    try (Admin admin = Admin.create(config(broker))) {
      return admin
          .describeTopics(List.of("orders", "__consumer_offsets"))
          .allTopicNames()
          .get()
          .values()
          .stream()
          .collect(
              Collectors.toMap(
                  TopicDescription::name,
                  topic -> topic.topicId() + " " + topic.partitions().size(),
                  (one, other) -> one,
                  TreeMap::new));
    }
  }

  private static Map<String, String> configs(Broker broker, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = Admin.create(config(broker))) {
      return admin
          .describeConfigs(List.of(resource))
          .all()
          .get()
          .values()
          .iterator()
          .next()
          .entries()
          .stream()
          .filter(entry -> entry.value() != null)
          .collect(Collectors.toMap(entry -> entry.name(), entry -> entry.value()));
    }
  }
}
