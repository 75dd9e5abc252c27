package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka's own Java client, as it is, against a whole broker. */
final class KafkaClientsTest {

  private static final int RECORDS = 2_000;

  @TempDir private static Path folder;
  private static Broker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.in(folder).start();
  }

  @AfterAll
  static void closeBroker() throws Exception {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void producesAndConsumesInAGroupWithEveryCodec(String codec) throws Exception {
    String topic = "codec-" + codec;
    try (Admin admin = Admin.create(config())) {
      admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get();
    }
    Map<String, Object> producerConfig = config();
    producerConfig.put("compression.type", codec);
    producerConfig.put("linger.ms", 1);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(producerConfig, new StringSerializer(), new StringSerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        sent.add(producer.send(new ProducerRecord<>(topic, "key " + i % 50, "value " + i)));
      }
      for (Future<RecordMetadata> each : sent) {
        assertThat(each.get(30, TimeUnit.SECONDS).offset()).isNotNegative();
      }
    }

    Map<String, List<Integer>> perKey = new HashMap<>();
    Map<String, Object> consumerConfig = config();
    consumerConfig.put("group.id", "group-" + codec);
    consumerConfig.put("auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(consumerConfig, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(topic));
      int count = 0;
      while (count < RECORDS) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          perKey
              .computeIfAbsent(record.key(), key -> new ArrayList<>())
              .add(Integer.parseInt(record.value().substring("value ".length())));
          count++;
        }
      }
      consumer.commitSync();
      long committed =
          consumer.committed(consumer.assignment()).values().stream()
              .mapToLong(offset -> offset.offset())
              .sum();
      assertThat(committed).isEqualTo(RECORDS);
    }
    assertThat(perKey).hasSize(50);
    perKey.values().forEach(values -> assertThat(values).isSorted().doesNotHaveDuplicates());
  }

  @Test
  void cc02_consumesBatchesThatExceedItsLimits() throws Exception {
    try (Admin admin = Admin.create(config())) {
      admin.createTopics(List.of(new NewTopic("large", 1, (short) 1))).all().get();
    }
    String large = "L".repeat(500_000);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(config(), new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < 3; i++) {
        producer.send(new ProducerRecord<>("large", large)).get(30, TimeUnit.SECONDS);
      }
    }
    Map<String, Object> consumerConfig = config();
    consumerConfig.put("fetch.max.bytes", 1);
    consumerConfig.put("max.partition.fetch.bytes", 1);
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(consumerConfig, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("large", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      int count = 0;
      while (count < 3) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          assertThat(record.value()).hasSize(500_000);
          count++;
        }
      }
    }
  }

  private static Map<String, Object> config() {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", broker.bootstrapServers());
    return config;
  }
}
