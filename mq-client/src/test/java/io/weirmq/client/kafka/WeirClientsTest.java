package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's clients through shared memory, against a whole broker. */
@Timeout(120)
final class WeirClientsTest {

  private static final int RECORDS = 2_000;

  @TempDir private static Path folder;
  private static LocalBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = LocalBroker.start(folder);
  }

  @AfterAll
  static void closeBroker() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @CsvSource({"shm, tcp", "tcp, shm", "auto, auto"})
  void producesAndConsumesTheSameTopicOverAnyTransport(String produced, String consumed)
      throws Exception {
    String topic = "topic-" + produced + "-" + consumed;
    int before = broker.shm().requestCount();
    createTopic(topic, 3, produced);
    produce(topic, produced, RECORDS);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        consumer(consumed, Map.of("group.id", "group-" + topic))) {
      consumer.subscribe(List.of(topic));
      poll(consumer, RECORDS).forEach(record -> values.add(record.value()));
      consumer.commitSync();
      assertThat(
              consumer.committed(consumer.assignment()).values().stream()
                  .mapToLong(offset -> offset.offset())
                  .sum())
          .isEqualTo(RECORDS);
    }

    assertThat(values).hasSize(RECORDS).doesNotHaveDuplicates();
    assertThat(broker.shm().requestCount()).as("requests in shared memory").isGreaterThan(before);
  }

  @Test
  void tcpLeavesKafkasNetworkAlone() throws Exception {
    int before = broker.shm().acceptedCount();
    createTopic("plain", 1, "tcp");
    produce("plain", "tcp", 10);

    assertThat(broker.shm().acceptedCount()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void readsWithBothKindsOfConsumer(String protocol) throws Exception {
    String topic = "kind-" + protocol;
    createTopic(topic, 1, "shm");
    produce(topic, "shm", 100);
    try (KafkaConsumer<String, String> consumer =
        consumer("shm", Map.of("group.protocol", protocol))) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      consumer.seekToBeginning(List.of());

      assertThat(poll(consumer, 100)).extracting(ConsumerRecord::value).startsWith("value 0");
    }
  }

  @Test
  void takesPropertiesAsKafkaDoes() {
    Properties defaults = new Properties();
    broker.config("shm").forEach((name, value) -> defaults.setProperty(name, value.toString()));
    Properties properties = new Properties(defaults);
    properties.setProperty("key.serializer", StringSerializer.class.getName());
    properties.put("value.serializer", StringSerializer.class);

    try (KafkaProducer<String, String> producer = WeirClients.producer(properties)) {
      assertThat(producer.partitionsFor("by-properties")).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void wakeupEndsAPollAtOnce(String protocol) throws Exception {
    createTopic("silent-" + protocol, 1, "shm");
    try (KafkaConsumer<String, String> consumer =
        consumer("shm", Map.of("group.protocol", protocol))) {
      consumer.assign(List.of(new TopicPartition("silent-" + protocol, 0)));
      consumer.seekToBeginning(List.of());
      consumer.poll(Duration.ofMillis(100));
      Thread waker = new Thread(consumer::wakeup);
      waker.start();

      // Far below the time-out of the test only if the wake-up is what ends it.
      assertThatThrownBy(() -> consumer.poll(Duration.ofHours(1)))
          .isInstanceOf(WakeupException.class);
      waker.join();
    }
  }

  @Test
  void largeRecordsPassInPiecesAndTooLargeOnesAreRefused() throws Exception {
    createTopic("large", 1, "shm");
    String large = "L".repeat(900_000);
    try (KafkaProducer<String, String> producer =
        producer("shm", Map.of("max.request.size", 50_000_000))) {
      for (int i = 0; i < 20; i++) {
        producer.send(new ProducerRecord<>("large", large + i));
      }
      Future<RecordMetadata> tooLarge =
          producer.send(new ProducerRecord<>("large", "X".repeat(20_000_000)));
      assertThatThrownBy(() -> tooLarge.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RecordTooLargeException.class);
    }
    try (KafkaConsumer<String, String> consumer = consumer("shm", Map.of())) {
      consumer.assign(List.of(new TopicPartition("large", 0)));
      consumer.seekToBeginning(List.of());

      List<ConsumerRecord<String, String>> read = poll(consumer, 20);
      for (int i = 0; i < 20; i++) {
        assertThat(read.get(i).value().equals(large + i)).as("record %d", i).isTrue();
      }
    }
  }

  @Test
  void requestsWithoutAResponseArrive() throws Exception {
    createTopic("unacknowledged", 1, "shm");
    try (KafkaProducer<String, String> producer =
        producer("shm", Map.of("acks", "0", "enable.idempotence", "false"))) {
      for (int i = 0; i < 500; i++) {
        producer
            .send(new ProducerRecord<>("unacknowledged", "value " + i))
            .get(30, TimeUnit.SECONDS);
      }
    }
    try (KafkaConsumer<String, String> consumer = consumer("shm", Map.of())) {
      consumer.assign(List.of(new TopicPartition("unacknowledged", 0)));
      consumer.seekToBeginning(List.of());
      assertThat(poll(consumer, 500)).hasSize(500);
    }
  }

  @Test
  void metricsCountWhatGoesThroughSharedMemory() throws Exception {
    createTopic("counted", 1, "shm");
    try (KafkaProducer<String, String> producer = producer("shm", Map.of())) {
      String value = "x".repeat(10_000);
      producer.send(new ProducerRecord<>("counted", value)).get(30, TimeUnit.SECONDS);

      assertThat(metric(producer.metrics(), "connection-count")).isEqualTo(2);
      assertThat(metric(producer.metrics(), "outgoing-byte-total")).isGreaterThan(10_000);
      assertThat(metric(producer.metrics(), "incoming-byte-total")).isGreaterThan(100);
      assertThat(metric(producer.metrics(), "request-total")).isGreaterThan(3);
    }
  }

  @Test
  void closeLeavesNoThreadAndNoConnection() throws Exception {
    Map<String, Object> more = Map.of("client.id", "leaver");
    createTopic("left", 1, "shm");
    try (KafkaProducer<String, String> producer = producer("shm", more);
        KafkaConsumer<String, String> consumer = consumer("shm", more);
        Admin admin = WeirClients.admin(broker.config("shm", more))) {
      producer.send(new ProducerRecord<>("left", "value")).get(30, TimeUnit.SECONDS);
      consumer.assign(List.of(new TopicPartition("left", 0)));
      consumer.seekToBeginning(List.of());
      poll(consumer, 1);
      admin.listTopics().names().get(30, TimeUnit.SECONDS);
      assertThat(threadNames(name -> name.contains("leaver")))
          .as("Kafka's threads, and none of the transport")
          .containsExactlyInAnyOrder(
              "kafka-producer-network-thread | leaver", "kafka-admin-client-thread | leaver");
    }

    assertThat(threadNames(name -> name.contains("leaver"))).isEmpty();
    await().atMost(Duration.ofSeconds(30)).until(() -> broker.shm().openCount() == 0);
  }

  private static List<String> threadNames(Predicate<String> which) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(which)
        .toList();
  }

  private static double metric(Map<MetricName, ? extends Metric> metrics, String name) {
    return metrics.entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .filter(entry -> !entry.getKey().group().contains("node"))
        .mapToDouble(entry -> ((Number) entry.getValue().metricValue()).doubleValue())
        .sum();
  }

  private static void createTopic(String name, int partitions, String transport) throws Exception {
    try (Admin admin = WeirClients.admin(broker.config(transport))) {
      admin
          .createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  private static void produce(String topic, String transport, int count) throws Exception {
    try (KafkaProducer<String, String> producer = producer(transport, Map.of("linger.ms", 1))) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(producer.send(new ProducerRecord<>(topic, "key " + i % 50, "value " + i)));
      }
      for (Future<RecordMetadata> each : sent) {
        assertThat(each.get(30, TimeUnit.SECONDS).offset()).isNotNegative();
      }
    }
  }

  private static KafkaProducer<String, String> producer(
      String transport, Map<String, Object> more) {
    return WeirClients.producer(
        broker.config(transport, more), new StringSerializer(), new StringSerializer());
  }

  private static KafkaConsumer<String, String> consumer(
      String transport, Map<String, Object> more) {
    Map<String, Object> config = broker.config(transport, more);
    config.put("auto.offset.reset", "earliest");
    return WeirClients.consumer(config, new StringDeserializer(), new StringDeserializer());
  }

  private static List<ConsumerRecord<String, String>> poll(
      KafkaConsumer<String, String> consumer, int count) {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    while (records.size() < count) {
      consumer.poll(Duration.ofSeconds(1)).forEach(records::add);
    }
    return records;
  }
}
