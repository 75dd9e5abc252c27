package io.weirmq.client.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weirmq.server.Broker;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that find the broker's shared memory by its port, as they do out of the box. */
@Timeout(120)
final class PublishedEndpointTest {

  @TempDir private Path folder;

  @Test
  void clientsFindTheBrokerByItsPort() throws Exception {
    Path places = folder.resolve("places");
    try (Broker broker = broker().localEndpoints(LocalEndpoints.in(places)).start()) {
      Map<String, Object> config = config(broker.boundPort(), "shm", places);
      List<String> values = new ArrayList<>();
      try (KafkaProducer<String, String> producer = producer(config)) {
        for (int i = 0; i < 100; i++) {
          producer.send(new ProducerRecord<>("found", "value " + i)).get(30, TimeUnit.SECONDS);
        }
      }
      config.put("group.id", "group");
      config.put("auto.offset.reset", "earliest");
      try (KafkaConsumer<String, String> consumer =
          WeirClients.consumer(config, new StringDeserializer(), new StringDeserializer())) {
        consumer.subscribe(List.of("found"));
        while (values.size() < 100) {
          consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
        }
      }
      assertThat(values).hasSize(100).startsWith("value 0", "value 1").endsWith("value 99");
    }

    assertThat(files(places)).as("what the broker leaves").noneMatch(Files::isRegularFile);
  }

  @Test
  void clientsComeBackThroughSharedMemoryAfterARestart() throws Exception {
    Path places = folder.resolve("places");
    Broker first = broker().localEndpoints(LocalEndpoints.in(places)).start();
    int port = first.boundPort();
    Map<String, Object> config = config(port, "shm", places);
    config.put("reconnect.backoff.max.ms", 200);
    try (KafkaProducer<String, String> producer = producer(config)) {
      producer.send(new ProducerRecord<>("restarted", "before")).get(30, TimeUnit.SECONDS);
      first.close();
      try (Broker second =
          broker()
              .set("listeners", "PLAINTEXT://127.0.0.1:" + port)
              .localEndpoints(LocalEndpoints.in(places))
              .start()) {
        assertThat(
                producer
                    .send(new ProducerRecord<>("restarted", "after"))
                    .get(60, TimeUnit.SECONDS)
                    .offset())
            .isEqualTo(1);
        assertThat(second.boundPort()).isEqualTo(port);
      }
    } finally {
      first.close();
    }
  }

  @Test
  void oneClientReachesOneAddressOverTcpAndAnotherThroughSharedMemory() throws Exception {
    int advertised = freePort();
    LocalEndpoints places = LocalEndpoints.in(folder.resolve("places"));
    Path shm = folder.resolve("shm");
    // The bootstrap port has nothing published; the port that the broker tells has no TCP listener.
    try (Broker broker =
            broker()
                .set("shm.listener.enable", "false")
                .set("advertised.listeners", "PLAINTEXT://127.0.0.1:" + advertised)
                .start();
        ShmBridge bridge = ShmBridge.open(shm, broker.boundPort());
        LocalEndpoints.Publication publication =
            places.publish("127.0.0.1", advertised, Endpoint.ofPath("shm", shm.toString()));
        CapturedLog log = new CapturedLog()) {
      Map<String, Object> config = config(broker.boundPort(), "auto", folder.resolve("places"));
      try (KafkaProducer<String, String> producer = producer(config)) {
        for (int i = 0; i < 100; i++) {
          assertThat(
                  producer
                      .send(new ProducerRecord<>("mixed", "value " + i))
                      .get(30, TimeUnit.SECONDS)
                      .offset())
              .isEqualTo(i);
        }
      }
      assertThat(bridge.requestCount()).as("requests in shared memory").isGreaterThan(100);
      assertThat(log.lines(Level.INFO))
          .singleElement()
          .asString()
          .contains("127.0.0.1:" + broker.boundPort());
      assertThat(publication.file()).exists();
    }
  }

  private Broker.Builder broker() {
    return Broker.builder()
        .set("log.dirs", folder.resolve("data").toString())
        .set("listeners", "PLAINTEXT://127.0.0.1:0")
        .set("offsets.topic.num.partitions", "4")
        .set("group.initial.rebalance.delay.ms", "0");
  }

  private static Map<String, Object> config(int port, String transport, Path places) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", "127.0.0.1:" + port);
    config.put("transport", transport);
    config.put("shm.runtime.folder", places.toString());
    config.put("enable.metrics.push", "false");
    return config;
  }

  private static KafkaProducer<String, String> producer(Map<String, Object> config) {
    return WeirClients.producer(config, new StringSerializer(), new StringSerializer());
  }

  private static List<Path> files(Path folder) throws Exception {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }
}
