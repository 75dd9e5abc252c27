package io.weirmq.compat.clients;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Groups by the classic protocol: subscribe, commit, rebalance, static members. */
final class GroupCases {
  private static final int PARTITIONS = 4;
  private static final int RECORDS = 400;

  private final Cluster cluster;
  private final String prefix;
  private final String topic;

  GroupCases(Cluster cluster, String prefix) {
    this.cluster = cluster;
    this.prefix = prefix;
    this.topic = prefix + "group-topic";
  }

  void run(CaseRunner runner) {
    runner.run("group topic for the next cases", this::fill);
    runner.run("group subscribe and commit", this::subscribeAndCommit);
    runner.run("group committed with metadata", this::committedMetadata);
    runner.run("group auto commit and pattern", this::autoCommitAndPattern);
    runner.run("group rebalance eager", () -> rebalance("eager", RangeAssignor.class));
    runner.run(
        "group rebalance cooperative",
        () -> rebalance("cooperative", CooperativeStickyAssignor.class));
    runner.run("group static membership", this::staticMembership);
  }

  /** Joins a group once and leaves it. */
  boolean warmUp() throws Exception {
    fill();
    subscribeAndCommit();
    return true;
  }

  private String fill() throws Exception {
    cluster.createTopic(topic, PARTITIONS, Map.of());
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, value));
      }
    }
    return RECORDS + " records";
  }

  private Map<String, Object> group(String name) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("group.id", prefix + name);
    settings.put("session.timeout.ms", 10_000);
    settings.put("heartbeat.interval.ms", 500);
    return settings;
  }

  private static void until(String what, BooleanSupplier done, Runnable step) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Cluster.WAIT_SECONDS);
    while (!done.getAsBoolean()) {
      Checks.that(System.nanoTime() < deadline, "%s within %d s", what, Cluster.WAIT_SECONDS);
      step.run();
    }
  }

  private static void poll(KafkaConsumer<byte[], byte[]> consumer, Set<Integer> values) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
      int value = Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8));
      Checks.that(values.add(value), "value %d only once", value);
    }
  }

  private String subscribeAndCommit() {
    Set<Integer> values = new HashSet<>();
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(group("commit"))) {
      consumer.subscribe(List.of(topic));
      until("half of the records", () -> values.size() >= 200, () -> poll(consumer, values));
      consumer.commitSync();
    }
    int first = values.size();
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(group("commit"))) {
      consumer.subscribe(List.of(topic));
      if (first < RECORDS) {
        until("the other half", () -> values.size() == RECORDS, () -> poll(consumer, values));
      }
      consumer.commitSync();
    }
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(group("commit"))) {
      consumer.subscribe(List.of(topic));
      until("an assignment", () -> !consumer.assignment().isEmpty(), () -> poll(consumer, values));
      for (TopicPartition partition : consumer.assignment()) {
        Checks.equal(100L, consumer.position(partition), "position of " + partition);
      }
    }
    return first + " + " + (RECORDS - first) + " records, none twice";
  }

  private String committedMetadata() {
    TopicPartition zero = new TopicPartition(topic, 0);
    TopicPartition one = new TopicPartition(topic, 1);
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(group("metadata"))) {
      consumer.assign(List.of(zero, one));
      OffsetAndMetadata offset =
          new OffsetAndMetadata(42, java.util.Optional.of(0), "where I stopped");
      consumer.commitSync(Map.of(zero, offset));
      Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.of(zero, one));
      Checks.equal(offset, committed.get(zero), "committed with metadata and epoch");
      Checks.equal(null, committed.get(one), "nothing committed");
    }
    return "";
  }

  private String autoCommitAndPattern() {
    Map<String, Object> settings = group("pattern");
    settings.put("enable.auto.commit", true);
    Set<Integer> values = new HashSet<>();
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(settings)) {
      consumer.subscribe(
          java.util.regex.Pattern.compile(java.util.regex.Pattern.quote(topic) + ".*"));
      until("all records", () -> values.size() == RECORDS, () -> poll(consumer, values));
    }
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(group("pattern"))) {
      TopicPartition zero = new TopicPartition(topic, 0);
      Checks.equal(100L, consumer.committed(Set.of(zero)).get(zero).offset(), "committed at close");
    }
    return "";
  }

  private String rebalance(String name, Class<?> assignor) {
    Map<String, Object> settings = group("rebalance-" + name);
    settings.put("partition.assignment.strategy", assignor.getName());
    Set<Integer> values = new HashSet<>();
    try (KafkaConsumer<byte[], byte[]> one = cluster.consumer(settings)) {
      one.subscribe(List.of(topic));
      until("all for one", () -> one.assignment().size() == PARTITIONS, () -> poll(one, values));
      KafkaConsumer<byte[], byte[]> two = cluster.consumer(settings);
      try (two) {
        two.subscribe(List.of(topic));
        until(
            "half for each",
            () -> one.assignment().size() == 2 && two.assignment().size() == 2,
            () -> {
              // What was read before but not committed may come again after a rebalance.
              one.poll(Duration.ofMillis(50));
              two.poll(Duration.ofMillis(50));
            });
        Set<Integer> partitions = new TreeSet<>();
        one.assignment().forEach(p -> partitions.add(p.partition()));
        two.assignment().forEach(p -> partitions.add(p.partition()));
        Checks.equal(Set.of(0, 1, 2, 3), partitions, "partitions of both");
      }
      until(
          "all for one again",
          () -> one.assignment().size() == PARTITIONS,
          () -> one.poll(Duration.ofMillis(50)));
    }
    return "4, 2 + 2, 4 partitions";
  }

  private String staticMembership() {
    Map<String, Object> first = group("static");
    first.put("group.instance.id", "instance-1");
    Map<String, Object> second = group("static");
    second.put("group.instance.id", "instance-2");
    KafkaConsumer<byte[], byte[]> one = cluster.consumer(first);
    KafkaConsumer<byte[], byte[]> two = cluster.consumer(second);
    one.subscribe(List.of(topic));
    two.subscribe(List.of(topic));
    try (two) {
      until(
          "half for each",
          () -> one.assignment().size() == 2 && two.assignment().size() == 2,
          () -> {
            one.poll(Duration.ofMillis(50));
            two.poll(Duration.ofMillis(50));
          });
      Set<TopicPartition> ofOne = one.assignment();
      int generation = two.groupMetadata().generationId();
      one.close();
      try (KafkaConsumer<byte[], byte[]> again = cluster.consumer(first)) {
        again.subscribe(List.of(topic));
        until(
            "the same partitions after a restart",
            () -> again.assignment().equals(ofOne),
            () -> {
              again.poll(Duration.ofMillis(50));
              two.poll(Duration.ofMillis(50));
            });
        Checks.equal(generation, two.groupMetadata().generationId(), "generation, no rebalance");
      }
    }
    return "restart without a rebalance";
  }
}
