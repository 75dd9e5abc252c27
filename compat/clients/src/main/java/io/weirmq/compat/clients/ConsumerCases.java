package io.weirmq.compat.clients;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Reading without a group: assign, seek, offsets by time, ends, sizes of fetches. */
final class ConsumerCases {
  private static final int RECORDS = 1_000;
  private static final long FIRST_TIMESTAMP = System.currentTimeMillis() - 86_400_000;

  private final Cluster cluster;
  private final String topic;
  private final TopicPartition partition;

  ConsumerCases(Cluster cluster, String prefix) {
    this.cluster = cluster;
    this.topic = prefix + "consume";
    this.partition = new TopicPartition(topic, 0);
  }

  void run(CaseRunner runner) {
    runner.run("consumer topic for the next cases", this::fill);
    runner.run("consumer seek inside a batch", this::seek);
    runner.run("consumer offsetsForTimes", this::offsetsForTimes);
    runner.run("consumer begin and end offsets", this::ends);
    runner.run("consumer small fetches", this::smallFetches);
    runner.run("consumer waits for data", this::waits);
    runner.run("consumer out of range", this::outOfRange);
    runner.run("consumer list topics", this::listTopics);
  }

  /** Batches of several records, timestamps 10 ms apart. */
  private String fill() throws Exception {
    cluster.createTopic(topic, 1, Map.of());
    try (KafkaProducer<byte[], byte[]> producer =
        cluster.producer(Map.of("linger.ms", 50, "compression.type", "lz4"))) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, 0, FIRST_TIMESTAMP + 10L * i, null, value));
      }
    }
    return RECORDS + " records";
  }

  private KafkaConsumer<byte[], byte[]> assigned(Map<String, Object> settings) {
    KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(settings);
    consumer.assign(List.of(partition));
    return consumer;
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(
      KafkaConsumer<byte[], byte[]> consumer, int count) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Cluster.WAIT_SECONDS);
    while (records.size() < count) {
      Checks.that(System.nanoTime() < deadline, "%d records, found %d", count, records.size());
      consumer.poll(Duration.ofMillis(100)).forEach(records::add);
    }
    return records;
  }

  private static void checkFrom(long offset, List<ConsumerRecord<byte[], byte[]>> records) {
    long expected = offset;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Checks.equal(expected, record.offset(), "offset");
      Checks.equal(
          Long.toString(expected), new String(record.value(), StandardCharsets.UTF_8), "value");
      expected++;
    }
  }

  private String seek() {
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(Map.of())) {
      for (long offset : new long[] {0, 1, 137, 500, RECORDS - 1}) {
        consumer.seek(partition, offset);
        List<ConsumerRecord<byte[], byte[]>> records = read(consumer, (int) (RECORDS - offset));
        Checks.equal((int) (RECORDS - offset), records.size(), "records from " + offset);
        checkFrom(offset, records);
      }
    }
    return "5 positions";
  }

  private String offsetsForTimes() {
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(Map.of())) {
      checkTime(consumer, FIRST_TIMESTAMP - 5, 0);
      checkTime(consumer, FIRST_TIMESTAMP, 0);
      checkTime(consumer, FIRST_TIMESTAMP + 1, 1);
      checkTime(consumer, FIRST_TIMESTAMP + 4_200, 420);
      checkTime(consumer, FIRST_TIMESTAMP + 4_201, 421);
      long past = FIRST_TIMESTAMP + 10L * RECORDS;
      Checks.equal(
          null, consumer.offsetsForTimes(Map.of(partition, past)).get(partition), "past the end");
    }
    return "";
  }

  private void checkTime(KafkaConsumer<byte[], byte[]> consumer, long timestamp, long offset) {
    OffsetAndTimestamp found =
        consumer.offsetsForTimes(Map.of(partition, timestamp)).get(partition);
    Checks.equal(offset, found.offset(), "offset for " + timestamp);
    Checks.equal(FIRST_TIMESTAMP + 10 * offset, found.timestamp(), "its timestamp");
  }

  private String ends() {
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(Map.of())) {
      Checks.equal(0L, consumer.beginningOffsets(List.of(partition)).get(partition), "beginning");
      Checks.equal((long) RECORDS, consumer.endOffsets(List.of(partition)).get(partition), "end");
      consumer.seekToEnd(List.of(partition));
      Checks.equal((long) RECORDS, consumer.position(partition), "position at the end");
      Map<String, Object> committedOnly = Map.of("isolation.level", "read_committed");
      try (KafkaConsumer<byte[], byte[]> other = assigned(committedOnly)) {
        Checks.equal((long) RECORDS, other.endOffsets(List.of(partition)).get(partition), "LSO");
        checkFrom(0, read(other, RECORDS));
      }
    }
    return "";
  }

  private String smallFetches() {
    Map<String, Object> settings =
        Map.of("max.partition.fetch.bytes", 64, "fetch.max.bytes", 64, "max.poll.records", 50);
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(settings)) {
      consumer.seekToBeginning(List.of(partition));
      checkFrom(0, read(consumer, RECORDS));
    }
    return "64-byte limits still make progress";
  }

  private String waits() throws Exception {
    String quiet = topic + "-quiet";
    cluster.createTopic(quiet, 1, Map.of());
    TopicPartition quietPartition = new TopicPartition(quiet, 0);
    try (KafkaConsumer<byte[], byte[]> consumer =
            cluster.consumer(Map.of("fetch.max.wait.ms", 2_000));
        KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of("linger.ms", 0))) {
      consumer.assign(List.of(quietPartition));
      consumer.seekToBeginning(List.of(quietPartition));
      Checks.equal(0, consumer.poll(Duration.ofMillis(300)).count(), "records before");
      producer
          .send(new ProducerRecord<>(quiet, new byte[] {1}))
          .get(Cluster.WAIT_SECONDS, TimeUnit.SECONDS);
      long sent = System.nanoTime();
      Checks.equal(1, read(consumer, 1).size(), "records after");
      long waitedMs = (System.nanoTime() - sent) / 1_000_000;
      Checks.that(waitedMs < 1_500, "a parked fetch answered by the append, found %d ms", waitedMs);
      return waitedMs + " ms after the acknowledgement";
    }
  }

  private String outOfRange() {
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(Map.of("auto.offset.reset", "none"))) {
      Checks.fails(NoOffsetForPartitionException.class, () -> consumer.position(partition));
      consumer.seek(partition, RECORDS + 500L);
      Checks.fails(OffsetOutOfRangeException.class, () -> read(consumer, 1));
    }
    try (KafkaConsumer<byte[], byte[]> consumer = assigned(Map.of())) {
      consumer.seek(partition, RECORDS + 500L);
      checkFrom(0, read(consumer, RECORDS));
    }
    return "";
  }

  private String listTopics() {
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(Map.of())) {
      List<PartitionInfo> partitions = consumer.listTopics().get(topic);
      Checks.equal(1, partitions.size(), "partitions listed");
      Checks.equal(1, partitions.get(0).replicas().length, "replicas listed");
      Checks.that(partitions.get(0).leader() != null, "a leader");
    }
    return "";
  }
}
