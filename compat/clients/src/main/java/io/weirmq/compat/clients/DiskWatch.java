package io.weirmq.compat.clients;

import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A producer and a consumer that tell, with the time, whenever what they see of the broker changes:
 * sends that are refused, and accepted again; records that arrive, or can't be had. Runs for a time.
 */
final class DiskWatch {
  private static final int VALUE_BYTES = 64 * 1024;

  private final Cluster cluster;
  private final String topic;

  DiskWatch(Cluster cluster, String topic) {
    this.cluster = cluster;
    this.topic = topic;
  }

  /** Returns true where every acknowledged record arrived and nothing else did. */
  boolean run(int seconds) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    Thread[] threads = new Thread[1];
    long[] received = {0};
    threads[0] = new Thread(() -> received[0] = consume(end), "consumer");
    threads[0].start();
    long acknowledged = produce(end - Duration.ofSeconds(3).toNanos());
    threads[0].join();
    say("java 4.3.1", "%d acknowledged, %d received".formatted(acknowledged, received[0]));
    return acknowledged == received[0] && acknowledged > 0;
  }

  private long produce(long end) throws Exception {
    long acknowledged = 0;
    String state = "";
    // Every refusal is to be seen, so nothing is sent again behind our back.
    Map<String, Object> settings =
        Map.of("acks", "all", "enable.idempotence", false, "retries", 0, "max.block.ms", 2_000L);
    try (KafkaProducer<byte[], byte[]> producer = cluster.producer(settings)) {
      while (System.nanoTime() < end) {
        String seen;
        try {
          producer.send(new ProducerRecord<>(topic, 0, null, new byte[VALUE_BYTES])).get();
          acknowledged++;
          seen = "accepted";
        } catch (ExecutionException e) {
          seen = "refused: " + e.getCause().getClass().getSimpleName();
        }
        if (!seen.equals(state)) {
          say("java producer", seen + " (" + acknowledged + " so far)");
          state = seen;
        }
        Thread.sleep(100);
      }
    }
    return acknowledged;
  }

  private long consume(long end) {
    long received = 0;
    long told = System.nanoTime();
    TopicPartition partition = new TopicPartition(topic, 0);
    try (KafkaConsumer<byte[], byte[]> consumer = cluster.consumer(Map.of())) {
      consumer.assign(List.of(partition));
      consumer.seek(partition, 0);
      while (System.nanoTime() < end) {
        try {
          received += consumer.poll(Duration.ofMillis(200)).count();
        } catch (RuntimeException e) {
          say("java consumer", "failed: " + e);
        }
        if (System.nanoTime() - told > Duration.ofSeconds(5).toNanos()) {
          told = System.nanoTime();
          say("java consumer", received + " records from the first on");
        }
      }
    }
    return received;
  }

  private static synchronized void say(String who, String what) {
    System.out.printf(
        "%s  %-14s %s%n", LocalTime.now().truncatedTo(ChronoUnit.SECONDS), who, what);
    System.out.flush();
  }
}
