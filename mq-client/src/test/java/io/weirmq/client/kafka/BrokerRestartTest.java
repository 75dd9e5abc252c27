package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker goes and comes back while clients use it through shared memory. */
@Timeout(180)
final class BrokerRestartTest {

  private static final int RECORDS = 3_000;

  @TempDir private Path folder;

  @Test
  void anIdempotentProducerKeepsOrderAndLosesAndRepeatsNothing() throws Exception {
    ChildBroker broker = ChildBroker.start(folder, 0);
    int port = broker.port();
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", "127.0.0.1:" + port,
            "transport", "shm",
            "shm.folder", LocalBroker.shmFolder(folder).toString(),
            "reconnect.backoff.max.ms", "200",
            "retry.backoff.max.ms", "200");
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer =
            WeirClients.producer(config, new StringSerializer(), new StringSerializer());
        KafkaConsumer<String, String> consumer =
            WeirClients.consumer(config, new StringDeserializer(), new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("ordered", 0);
      producer.send(new ProducerRecord<>("ordered", "first")).get(30, TimeUnit.SECONDS);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of());
      List<String> read = new ArrayList<>();
      for (int i = 0; i < RECORDS; i++) {
        sent.add(producer.send(new ProducerRecord<>("ordered", "value " + i)));
        if (i == RECORDS / 3 || i == 2 * RECORDS / 3) {
          // With requests under way: what is in the rings is lost with them.
          broker.kill();
          broker = ChildBroker.start(folder, port);
        }
      }
      for (Future<RecordMetadata> each : sent) {
        each.get(60, TimeUnit.SECONDS);
      }
      while (read.size() <= RECORDS) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
          read.add(record.value());
        }
      }

      List<String> expected =
          new ArrayList<>(IntStream.range(0, RECORDS).mapToObj(i -> "value " + i).toList());
      expected.add(0, "first");
      assertThat(read).isEqualTo(expected);
      for (int i = 0; i < RECORDS; i++) {
        assertThat(sent.get(i).get().offset()).as("offset of record %d", i).isEqualTo(i + 1L);
      }
    } finally {
      broker.close();
    }
  }
}
