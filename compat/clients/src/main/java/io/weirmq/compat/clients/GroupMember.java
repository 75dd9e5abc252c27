package io.weirmq.compat.clients;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * One member of a group as a process of its own, to be killed by a script. Commits after every
 * poll. Prints with the time in milliseconds: {@code assigned T NAME p,p}, {@code revoked T NAME
 * p,p}, {@code got T NAME partition offset value}.
 */
final class GroupMember {
  private static final int POLL_RECORDS = 20;

  private GroupMember() {}

  static boolean run(Cluster cluster, String topic, String group, String name) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("group.id", group);
    settings.put("client.id", name);
    settings.put("session.timeout.ms", 6_000);
    settings.put("heartbeat.interval.ms", 500);
    settings.put("max.poll.records", POLL_RECORDS);
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(settings)) {
      consumer.subscribe(List.of(topic), new Announcer(name));
      while (true) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
        for (ConsumerRecord<byte[], byte[]> record : records) {
          String value = new String(record.value(), StandardCharsets.UTF_8);
          print("got", name, record.partition() + " " + record.offset() + " " + value);
        }
        if (!records.isEmpty()) {
          consumer.commitSync();
        }
        System.out.flush();
      }
    }
  }

  /** Prints what a member was given and had to give back. */
  private static final class Announcer implements ConsumerRebalanceListener {
    private final String name;

    Announcer(String name) {
      this.name = name;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      print("assigned", name, numbers(partitions));
      System.out.flush();
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      print("revoked", name, numbers(partitions));
    }

    private static String numbers(Collection<TopicPartition> partitions) {
      return String.join(",", partitions.stream().map(p -> "" + p.partition()).sorted().toList());
    }
  }

  private static void print(String what, String name, String rest) {
    System.out.println(what + " " + System.currentTimeMillis() + " " + name + " " + rest);
  }

  /** Numbered records, 1 ms apart, so that a group is at work for a while. */
  static boolean fill(Cluster cluster, String topic, int partitions, int count) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(Map.of("linger.ms", 0))) {
      for (int i = 0; i < count; i++) {
        byte[] value = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, i % partitions, null, value));
        if (i % 10 == 0) {
          Thread.sleep(10);
        }
      }
    }
    return true;
  }

  /** Prints {@code committed PARTITION OFFSET END} for every partition. */
  static boolean committed(Cluster cluster, String topic, String group) {
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(Map.of("group.id", group))) {
      Map<TopicPartition, Long> ends = new TreeMap<>((a, b) -> a.partition() - b.partition());
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      ends.putAll(consumer.endOffsets(partitions));
      Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
      ends.forEach(
          (partition, end) -> {
            OffsetAndMetadata offset = committed.get(partition);
            long value = offset == null ? -1 : offset.offset();
            System.out.println("committed " + partition.partition() + " " + value + " " + end);
          });
    }
    return true;
  }
}
