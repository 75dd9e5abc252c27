package io.weirmq.compat.clients;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes the clients of one broker, all with byte arrays for keys and values. */
final class Cluster {
  /** How long any single wait of a case may take before it counts as failed, in seconds. */
  static final int WAIT_SECONDS = 30;

  private final String bootstrap;

  Cluster(String bootstrap) {
    this.bootstrap = bootstrap;
  }

  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrap, "request.timeout.ms", 20_000));
  }

  KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.putIfAbsent("delivery.timeout.ms", 25_000);
    all.putIfAbsent("request.timeout.ms", 10_000);
    all.put("bootstrap.servers", bootstrap);
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>();
    all.put("auto.offset.reset", "earliest");
    all.put("enable.auto.commit", false);
    all.putAll(settings);
    all.put("bootstrap.servers", bootstrap);
    return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Creates a topic and waits until its partitions answer: KRaft creates them by and by. */
  void createTopic(String topic, int partitions, Map<String, String> configs) throws Exception {
    try (Admin admin = admin()) {
      NewTopic newTopic = new NewTopic(topic, partitions, (short) 1).configs(configs);
      admin.createTopics(List.of(newTopic)).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int partition = 0; partition < partitions; partition++) {
        ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
      }
      Checks.eventually(() -> Checks.get(admin.listOffsets(ends).all()));
    }
  }

  /** All records of all partitions of a topic up to its end, by partition, in the order read. */
  Map<Integer, List<ConsumerRecord<byte[], byte[]>>> readAll(String topic) {
    Map<Integer, List<ConsumerRecord<byte[], byte[]>>> all = new HashMap<>();
    forEach(
        topic,
        record -> all.computeIfAbsent(record.partition(), p -> new ArrayList<>()).add(record));
    return all;
  }

  /** Hands every record of a topic up to its present end to a sink. */
  void forEach(String topic, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(Map.of())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3 * WAIT_SECONDS);
      while (!atEnd(consumer, partitions, ends)) {
        Checks.that(System.nanoTime() < deadline, "records up to %s in time", ends);
        consumer.poll(Duration.ofMillis(200)).forEach(sink);
      }
    }
  }

  private static boolean atEnd(
      KafkaConsumer<byte[], byte[]> consumer,
      Collection<TopicPartition> partitions,
      Map<TopicPartition, Long> ends) {
    return partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
  }
}
