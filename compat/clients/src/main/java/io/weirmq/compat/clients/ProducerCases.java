package io.weirmq.compat.clients;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;

/**
 * What goes in through the producer comes out of a consumer: every byte, in order per partition.
 */
final class ProducerCases {
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 3_000;

  /** Yesterday: older records would fall to the retention of a week. */
  private static final long FIRST_TIMESTAMP = System.currentTimeMillis() - 86_400_000;

  private final Cluster cluster;
  private final String prefix;

  ProducerCases(Cluster cluster, String prefix) {
    this.cluster = cluster;
    this.prefix = prefix;
  }

  void run(CaseRunner runner) {
    for (String acks : List.of("0", "1", "all")) {
      runner.run(
          "produce acks=" + acks,
          () -> roundTrip("acks-" + acks, Map.of("acks", acks, "enable.idempotence", false)));
    }
    runner.run(
        "produce idempotent", () -> roundTrip("idempotent", Map.of("enable.idempotence", true)));
    for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      runner.run(
          "produce compression=" + codec,
          () -> roundTrip("codec-" + codec, Map.of("compression.type", codec, "linger.ms", 20)));
    }
    runner.run("produce with broker-side zstd", this::brokerCompression);
    runner.run("produce by key (murmur2)", this::byKey);
    runner.run("produce log append time", this::logAppendTime);
    runner.run("produce 900 KB records", this::largeRecords);
    runner.run("produce too large", this::tooLarge);
    runner.run("produce illegal topic name", this::illegalTopic);
    runner.run("produce to auto-created topic", this::autoCreated);
  }

  void smoke(CaseRunner runner) {
    runner.run("produce and consume", () -> roundTrip("zstd", Map.of("compression.type", "zstd")));
  }

  private String roundTrip(String name, Map<String, Object> settings) throws Exception {
    String topic = prefix + name;
    cluster.createTopic(topic, PARTITIONS, Map.of());
    List<ProducerRecord<byte[], byte[]>> sent = records(topic);
    send(sent, settings);
    compare(sent, cluster.readAll(topic));
    return RECORDS + " records";
  }

  /** Records with and without key, value and headers, round robin over the partitions. */
  private static List<ProducerRecord<byte[], byte[]>> records(String topic) {
    Random random = new Random(7);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      byte[] key = i % 5 == 0 ? null : ("key-" + i % 17).getBytes(StandardCharsets.UTF_8);
      byte[] value = i % 11 == 0 ? null : value(random, i);
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(topic, i % PARTITIONS, FIRST_TIMESTAMP + i, key, value);
      if (i % 3 == 0) {
        record.headers().add("trace", ("t" + i).getBytes(StandardCharsets.UTF_8));
        record.headers().add("empty", new byte[0]);
        record.headers().add("null", null);
      }
      records.add(record);
    }
    return records;
  }

  private static byte[] value(Random random, int number) {
    String text = "record number " + number + " ";
    if (number % 2 == 0) {
      return text.repeat(1 + random.nextInt(8)).getBytes(StandardCharsets.UTF_8);
    }
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  private void send(List<ProducerRecord<byte[], byte[]>> records, Map<String, Object> settings)
      throws Exception {
    boolean withOffsets = !"0".equals(settings.get("acks"));
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(settings)) {
      List<Future<RecordMetadata>> futures = new ArrayList<>();
      for (ProducerRecord<byte[], byte[]> record : records) {
        futures.add(producer.send(record));
      }
      producer.flush();
      Map<Integer, Long> next = new HashMap<>();
      for (Future<RecordMetadata> future : futures) {
        RecordMetadata metadata = future.get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
        if (withOffsets) {
          long expected = next.getOrDefault(metadata.partition(), 0L);
          Checks.equal(expected, metadata.offset(), "acknowledged offset");
          next.put(metadata.partition(), expected + 1);
        }
      }
    }
  }

  private static void compare(
      List<ProducerRecord<byte[], byte[]>> sent,
      Map<Integer, List<ConsumerRecord<byte[], byte[]>>> found) {
    Map<Integer, Integer> next = new HashMap<>();
    for (ProducerRecord<byte[], byte[]> expected : sent) {
      int index = next.merge(expected.partition(), 1, Integer::sum) - 1;
      List<ConsumerRecord<byte[], byte[]>> partition =
          found.getOrDefault(expected.partition(), List.of());
      Checks.that(index < partition.size(), "record %d of %s", index, expected.partition());
      ConsumerRecord<byte[], byte[]> record = partition.get(index);
      Checks.equal((long) index, record.offset(), "offset");
      Checks.equal(expected.key(), record.key(), "key");
      Checks.equal(expected.value(), record.value(), "value");
      Checks.equal(expected.timestamp(), record.timestamp(), "timestamp");
      compareHeaders(expected.headers().toArray(), record.headers().toArray());
    }
    int total = found.values().stream().mapToInt(List::size).sum();
    Checks.equal(sent.size(), total, "records in all");
  }

  private static void compareHeaders(Header[] expected, Header[] found) {
    Checks.equal(expected.length, found.length, "headers");
    for (int i = 0; i < expected.length; i++) {
      Checks.equal(expected[i].key(), found[i].key(), "header key");
      Checks.equal(expected[i].value(), found[i].value(), "header value");
    }
  }

  private String brokerCompression() throws Exception {
    String topic = prefix + "broker-zstd";
    cluster.createTopic(topic, PARTITIONS, Map.of("compression.type", "zstd"));
    List<ProducerRecord<byte[], byte[]>> sent = records(topic);
    send(sent, Map.of("compression.type", "gzip", "linger.ms", 20));
    compare(sent, cluster.readAll(topic));
    return "gzip in, topic says zstd";
  }

  private String byKey() throws Exception {
    String topic = prefix + "by-key";
    cluster.createTopic(topic, PARTITIONS, Map.of());
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      for (int i = 0; i < 300; i++) {
        byte[] key = ("k" + i % 30).getBytes(StandardCharsets.UTF_8);
        byte[] value = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, key, value));
      }
    }
    Map<String, Integer> partitionOfKey = new HashMap<>();
    Map<String, Integer> lastOfKey = new HashMap<>();
    cluster.forEach(
        topic,
        record -> {
          String key = new String(record.key(), StandardCharsets.UTF_8);
          int number = Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8));
          Integer before = partitionOfKey.put(key, record.partition());
          Checks.that(before == null || before == record.partition(), "one partition for %s", key);
          Integer last = lastOfKey.put(key, number);
          Checks.that(last == null || last < number, "rising numbers for %s", key);
        });
    Checks.equal(30, partitionOfKey.size(), "keys");
    return "30 keys on " + partitionOfKey.values().stream().distinct().count() + " partitions";
  }

  private String logAppendTime() throws Exception {
    String topic = prefix + "append-time";
    cluster.createTopic(topic, 1, Map.of("message.timestamp.type", "LogAppendTime"));
    long before = System.currentTimeMillis();
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      RecordMetadata metadata =
          producer
              .send(new ProducerRecord<>(topic, 0, 1L, null, new byte[] {1}))
              .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
      Checks.that(metadata.timestamp() >= before, "append time, found %d", metadata.timestamp());
      ConsumerRecord<byte[], byte[]> record = cluster.readAll(topic).get(0).get(0);
      Checks.equal(metadata.timestamp(), record.timestamp(), "timestamp read");
      Checks.equal("LogAppendTime", record.timestampType().name, "timestamp type");
    }
    return "";
  }

  private String largeRecords() throws Exception {
    String topic = prefix + "large";
    cluster.createTopic(topic, PARTITIONS, Map.of());
    Random random = new Random(11);
    List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      byte[] value = new byte[900_000];
      random.nextBytes(value);
      sent.add(new ProducerRecord<>(topic, i % PARTITIONS, (long) i, null, value));
    }
    send(sent, Map.of());
    compare(sent, cluster.readAll(topic));
    return "30 records";
  }

  private String tooLarge() throws Exception {
    String topic = prefix + "too-large";
    cluster.createTopic(topic, 1, Map.of("max.message.bytes", "10000"));
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      Checks.fails(
          RecordTooLargeException.class,
          () ->
              producer
                  .send(new ProducerRecord<>(topic, new byte[20_000]))
                  .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS));
      producer
          .send(new ProducerRecord<>(topic, new byte[5_000]))
          .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
    }
    return "";
  }

  private String illegalTopic() {
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      Checks.fails(
          InvalidTopicException.class,
          () ->
              producer
                  .send(new ProducerRecord<>("no spaces allowed", new byte[1]))
                  .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS));
    }
    return "";
  }

  private String autoCreated() throws Exception {
    String topic = prefix + "auto";
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      producer
          .send(new ProducerRecord<>(topic, new byte[] {42}))
          .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
    }
    Checks.equal(1, cluster.readAll(topic).get(0).size(), "records");
    return "";
  }
}
