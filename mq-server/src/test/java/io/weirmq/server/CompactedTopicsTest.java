package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compacted topics of a whole broker, with Kafka's own client. */
final class CompactedTopicsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  /** A broker that compacts at once whatever may be. */
  private Broker start() throws Exception {
    return TestBroker.in(folder)
        .set("offsets.topic.num.partitions", "1")
        .set("log.cleaner.backoff.ms", "20")
        .set("log.cleaner.min.cleanable.ratio", "0")
        .start();
  }

  private static Map<String, Object> config(Broker broker) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", broker.bootstrapServers());
    return config;
  }

  private static KafkaProducer<String, String> producer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
  }

  private static void createCompacted(Admin admin, String topic, int segmentBytes)
      throws Exception {
    NewTopic compacted =
        new NewTopic(topic, 1, (short) 1)
            .configs(
                Map.of(
                    "cleanup.policy",
                    "compact",
                    "internal.segment.bytes",
                    Integer.toString(segmentBytes),
                    "delete.retention.ms",
                    "0"));
    admin.createTopics(List.of(compacted)).all().get();
  }

  @Test
  void aTopicIsCompactedWhileItIsWritten_andConsumersSeeTheLastValueOfEachKey() throws Exception {
    Map<String, String> model = new TreeMap<>();
    long sent = 0;
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      createCompacted(admin, "prices", 20_000);
      Map<String, Object> producerConfig = config(broker);
      producerConfig.put("compression.type", "lz4");
      try (KafkaProducer<String, String> producer = producer(producerConfig)) {
        for (int i = 0; i < 6_000; i++) {
          String key = "key " + i * 7 % 100;
          String value = i % 13 == 0 ? null : "value " + i;
          producer.send(new ProducerRecord<>("prices", key, value));
          sent++;
          if (value == null) {
            model.remove(key);
          } else {
            model.put(key, value);
          }
          if (i % 50 == 0) {
            producer.flush();
          }
        }
        producer.flush();
        assertThatThrownBy(() -> producer.send(new ProducerRecord<>("prices", "no key")).get())
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(InvalidRecordException.class);
      }
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(recordsIn("prices-0")).isLessThan(3_000));
      assertThat(consumed(broker, "prices", sent)).isEqualTo(model);
      assertThat(gauge("kafka.log:type=LogCleaner,name=runs")).isPositive();
      assertThat(gauge("kafka.log:type=LogCleaner,name=bytes-written")).isPositive();
      assertThat(gauge("kafka.log:type=LogCleaner,name=DeadThreadCount")).isZero();
    }
    try (Broker broker = start()) {
      assertThat(consumed(broker, "prices", sent)).isEqualTo(model);
    }
  }

  @Test
  void aDamagedLogIsSetAsideAndTold_andOthersAreCompacted() throws Exception {
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      createCompacted(admin, "damaged", 1_000_000);
      try (KafkaProducer<String, String> producer = producer(config(broker))) {
        for (int i = 0; i < 10; i++) {
          producer.send(new ProducerRecord<>("damaged", "key", "value " + i)).get();
        }
      }
    }
    Path log = folder.resolve("damaged-0").resolve("00000000000000000000.log");
    byte[] bytes = Files.readAllBytes(log);
    // In the value of the sixth batch.
    bytes[bytes.length / 10 * 5 + 72] ^= 1;
    Files.write(log, bytes);
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new org.apache.kafka.common.config.ConfigResource(
                      org.apache.kafka.common.config.ConfigResource.Type.TOPIC, "damaged"),
                  List.of(set("internal.segment.bytes", "400"))))
          .all()
          .get();
      createCompacted(admin, "sound", 1_000);
      try (KafkaProducer<String, String> producer = producer(config(broker))) {
        producer.send(new ProducerRecord<>("damaged", "key", "x".repeat(200))).get();
        for (int i = 0; i < 100; i++) {
          producer.send(new ProducerRecord<>("sound", "key", "value " + i)).get();
        }
      }
      String count =
          "kafka.log:type=LogCleanerManager,name=uncleanable-partitions-count,logDirectory=%s"
              .formatted(ObjectName.quote(folder.toString()));
      Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(gauge(count)).isOne());
      Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(recordsIn("sound-0")).isLessThan(60));
      assertThat(gauge(count)).isOne();
    }
  }

  private static long gauge(String name) throws Exception {
    Object value =
        ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(name), "Value");
    return ((Number) value).longValue();
  }

  /** Records in the files of a partition, counted by Kafka's reader. */
  private long recordsIn(String partition) {
    long count = 0;
    try (Stream<Path> files = Files.list(folder.resolve(partition))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".log")) {
          count += count(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return count;
  }

  private static long count(Path file) throws IOException {
    long count = 0;
    try (FileRecords records = FileRecords.open(file.toFile(), false)) {
      for (RecordBatch batch : records.batches()) {
        batch.ensureValid();
        for (Record record : batch) {
          record.ensureValid();
          count++;
        }
      }
    } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException e) {
      // Compacted away between listing and opening.
      return 0;
    }
    return count;
  }

  private static Map<String, String> consumed(Broker broker, String topic, long end) {
    Map<String, String> seen = new TreeMap<>();
    try (KafkaConsumer<String, String> consumer = consumer(config(broker))) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      assertThat(consumer.endOffsets(List.of(partition))).containsEntry(partition, end);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          if (record.value() == null) {
            seen.remove(record.key());
          } else {
            seen.put(record.key(), record.value());
          }
        }
      }
    }
    return seen;
  }

  @Test
  @DisplayName("GT-07 a deleted group stays deleted, and so do offsets of a deleted topic")
  void gt07_deletedGroupsAndOffsetsStayDeleted() throws Exception {
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      admin
          .createTopics(
              List.of(new NewTopic("kept", 1, (short) 1), new NewTopic("dropped", 1, (short) 1)))
          .all()
          .get();
      commit(broker, "gone", "kept");
      commit(broker, "stays", "kept");
      commit(broker, "stays", "dropped");
      admin.deleteConsumerGroups(List.of("gone")).all().get();
      admin.deleteTopics(List.of("dropped")).all().get();
      assertGroups(admin);
    }
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      assertGroups(admin);
      compactOffsets(broker, admin);
      assertGroups(admin);
    }
    try (Broker broker = start();
        Admin admin = Admin.create(config(broker))) {
      assertGroups(admin);
    }
  }

  private static void commit(Broker broker, String group, String topic) {
    Map<String, Object> config = config(broker);
    config.put("group.id", group);
    config.put("enable.auto.commit", "false");
    try (KafkaConsumer<String, String> consumer = consumer(config)) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      for (int i = 0; i < 20; i++) {
        consumer.commitSync(Map.of(partition, new OffsetAndMetadata(i)));
      }
    }
  }

  private static void assertGroups(Admin admin) throws Exception {
    Set<String> groups = new HashSet<>();
    admin.listGroups().all().get().forEach(group -> groups.add(group.groupId()));
    assertThat(groups).isEqualTo(Set.of("stays"));
    Map<TopicPartition, OffsetAndMetadata> offsets =
        admin.listConsumerGroupOffsets("stays").partitionsToOffsetAndMetadata().get();
    assertThat(offsets).isEqualTo(Map.of(new TopicPartition("kept", 0), new OffsetAndMetadata(19)));
    assertThat(admin.listConsumerGroupOffsets("gone").partitionsToOffsetAndMetadata().get())
        .isEmpty();
  }

  /** Makes the segments so small that all records of now are in sealed ones, and waits. */
  private void compactOffsets(Broker broker, Admin admin) throws Exception {
    String topic = "__consumer_offsets";
    admin
        .incrementalAlterConfigs(
            Map.of(
                new org.apache.kafka.common.config.ConfigResource(
                    org.apache.kafka.common.config.ConfigResource.Type.TOPIC, topic),
                List.of(set("segment.ms", "1"), set("delete.retention.ms", "0"))))
        .all()
        .get();
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(100, TimeUnit.MILLISECONDS)
        // Compaction may take a segment away between the list and the look; the next round tells.
        .ignoreException(NoSuchFileException.class)
        .untilAsserted(
            () -> {
              commit(broker, "stays", "kept");
              assertThat(keysOf(topic + "-0", "gone")).isZero();
            });
  }

  private static org.apache.kafka.clients.admin.AlterConfigOp set(String name, String value) {
    return new org.apache.kafka.clients.admin.AlterConfigOp(
        new org.apache.kafka.clients.admin.ConfigEntry(name, value),
        org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET);
  }

  /** Records whose key names a group, tombstones too. */
  private long keysOf(String partition, String group) throws IOException {
    long count = 0;
    try (Stream<Path> files = Files.list(folder.resolve(partition))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".log")) {
          try (FileRecords records = FileRecords.open(file.toFile(), false)) {
            for (Record record : records.records()) {
              String key =
                  java.nio.charset.StandardCharsets.ISO_8859_1.decode(record.key()).toString();
              count += key.contains(group) ? 1 : 0;
            }
          }
        }
      }
    }
    return count;
  }
}
