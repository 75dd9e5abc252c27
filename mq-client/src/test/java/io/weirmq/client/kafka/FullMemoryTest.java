package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weirmq.server.Broker;
import io.weirmq.testkit.host.TinyMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SM-05: Kafka's clients where the file system in memory has no room for a connection. */
@Timeout(120)
final class FullMemoryTest {

  @TempDir private Path folder;

  @Test
  void sm05_autoGoesToTcpWhereThereIsNoRoom_andSaysSoOnce() throws Exception {
    try (TinyMemory memory = TinyMemory.mount(folder);
        Broker broker =
            Broker.builder()
                .set("log.dirs", folder.resolve("data").toString())
                .set("listeners", "PLAINTEXT://127.0.0.1:0,SHM://" + memory.path().resolve("s"))
                .start()) {
      Map<String, Object> config =
          Map.of(
              "bootstrap.servers",
              broker.bootstrapServers(),
              "transport",
              "auto",
              "shm.folder",
              memory.path().resolve("s").toString(),
              "enable.metrics.push",
              "false");
      try (CapturedLog log = new CapturedLog();
          Producer<String, String> producer =
              WeirClients.producer(config, new StringSerializer(), new StringSerializer())) {
        for (int i = 0; i < 10; i++) {
          producer.send(new ProducerRecord<>("t", 0, null, "v" + i)).get(60, TimeUnit.SECONDS);
        }
        assertThat(log.lines(Level.INFO))
            .singleElement()
            .asString()
            .contains(broker.bootstrapServers(), "over TCP")
            .contains("2098176 bytes are needed", "--shm-size");
        assertThat(log.lines(Level.WARN)).isEmpty();
      }
      try (Consumer<String, String> consumer =
          WeirClients.consumer(config, new StringDeserializer(), new StringDeserializer())) {
        TopicPartition partition = new TopicPartition("t", 0);
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        List<String> values = new ArrayList<>();
        while (values.size() < 10) {
          consumer.poll(Duration.ofSeconds(1)).forEach(each -> values.add(each.value()));
        }
        assertThat(values)
            .containsExactly("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9");
      }
    }
  }
}
