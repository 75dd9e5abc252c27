package io.weirmq.compat.clients;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Numbered records from an idempotent producer while somebody kills and restarts the broker, and
 * the check afterwards: everything acknowledged is there at the offset that was promised, nothing
 * is there twice, and every partition is in order.
 */
final class KilledLoad {
  private static final int PARTITIONS = 3;

  private final Cluster cluster;
  private final String topic;

  KilledLoad(Cluster cluster, String topic) {
    this.cluster = cluster;
    this.topic = topic;
  }

  /** Sends the numbers 0 … count−1; each line of the file is number, partition, offset. */
  boolean load(int count, Path acknowledged) throws Exception {
    cluster.createTopic(topic, PARTITIONS, Map.of());
    Map<String, Object> settings =
        Map.of(
            "acks", "all",
            "enable.idempotence", true,
            "compression.type", "lz4",
            "linger.ms", 5,
            "request.timeout.ms", 5_000,
            "delivery.timeout.ms", 120_000,
            "reconnect.backoff.max.ms", 200);
    AtomicInteger failed = new AtomicInteger();
    try (BufferedWriter file = Files.newBufferedWriter(acknowledged);
        KafkaProducer<byte[], byte[]> producer = cluster.producer(settings)) {
      for (int number = 0; number < count; number++) {
        byte[] value = ("number " + number).getBytes(StandardCharsets.UTF_8);
        String line = number + " ";
        producer.send(
            new ProducerRecord<>(topic, number % PARTITIONS, null, value),
            (metadata, error) -> {
              if (error != null) {
                if (failed.getAndIncrement() == 0) {
                  error.printStackTrace();
                }
                return;
              }
              write(file, line + metadata.partition() + " " + metadata.offset() + "\n");
            });
        if (number % 100 == 0) {
          // About 30,000 records a second: the load must still run when the broker is killed.
          Thread.sleep(3);
        }
      }
      producer.flush();
    }
    System.out.println("detail: " + count + " sent, " + failed.get() + " failed");
    return failed.get() == 0;
  }

  private static void write(BufferedWriter file, String line) {
    try {
      file.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean verify(Path acknowledged) throws IOException {
    Map<Integer, List<Integer>> numbers = new HashMap<>();
    Map<Integer, List<ConsumerRecord<byte[], byte[]>>> all = cluster.readAll(topic);
    int total = 0;
    for (Map.Entry<Integer, List<ConsumerRecord<byte[], byte[]>>> entry : all.entrySet()) {
      List<Integer> ofPartition = new ArrayList<>();
      int last = -1;
      for (ConsumerRecord<byte[], byte[]> record : entry.getValue()) {
        String value = new String(record.value(), StandardCharsets.UTF_8);
        int number = Integer.parseInt(value.substring("number ".length()));
        Checks.equal((long) ofPartition.size(), record.offset(), "offset");
        Checks.that(
            number > last, "partition %d rises: %d after %d", record.partition(), number, last);
        Checks.equal(number % PARTITIONS, record.partition(), "partition of " + number);
        last = number;
        ofPartition.add(number);
      }
      numbers.put(entry.getKey(), ofPartition);
      total += ofPartition.size();
    }
    int lines = 0;
    for (String line : Files.readAllLines(acknowledged)) {
      String[] parts = line.split(" ");
      int offset = Integer.parseInt(parts[2]);
      List<Integer> ofPartition = numbers.getOrDefault(Integer.parseInt(parts[1]), List.of());
      Checks.that(offset < ofPartition.size(), "acknowledged offset, line '%s', is lost", line);
      Checks.equal(Integer.parseInt(parts[0]), ofPartition.get(offset), "number at " + line);
      lines++;
    }
    System.out.println(
        "detail: " + lines + " acknowledged, " + total + " read, none lost, none twice, in order");
    return true;
  }
}
