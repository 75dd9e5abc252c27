package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.ObjectName;
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

/** SM-02: processes that are stopped beyond the time-outs of their peers, and go on. */
@Timeout(300)
class IpcPauseTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path data;

  @Test
  void sm02_aPublisherThatWasStoppedBetweenClaimAndCommitIsCut_andComesBackWithAllItsRecords()
      throws Exception {
    try (LocalBroker broker =
            LocalBroker.start(
                data,
                LocalBroker.localFolder(),
                0,
                Map.of("connections.max.idle.ms", "1000", "offsets.topic.num.partitions", "2"));
        KafkaProducer<String, String> other = producer(broker.port())) {
      broker.createTopic("t", Map.of());
      try (PausablePublisher publisher = PausablePublisher.start(broker.endpoint())) {
        signal("STOP", publisher.pid());
        await("the broker has cut it").atMost(PATIENCE).until(() -> localConnections() == 0);
        for (int i = 0; i < 10; i++) {
          other.send(new ProducerRecord<>("t", "other:" + i)).get(60, TimeUnit.SECONDS);
        }
        publisher.tellToCommit();
        signal("CONT", publisher.pid());

        assertThat(publisher.awaitEnd()).startsWith("all acknowledged");
      }
      List<String> found = read(broker.port());
      assertThat(of("child", found)).isEqualTo(values("child", PausablePublisher.RECORDS));
      assertThat(of("other", found)).isEqualTo(values("other", 10));
      assertThat(found.indexOf("child:10"))
          .as("committed behind what others have written meanwhile")
          .isGreaterThan(found.indexOf("other:9"));
    }
  }

  @Test
  void sm02_clientsOfBothDoorsOutliveABrokerThatWasStopped() throws Exception {
    Path folder = LocalBroker.localFolder();
    try (ChildProcess broker = ChildProcess.broker(data, folder, 0)) {
      int port = broker.told();
      LocalBroker.createTopic(port, "t", Map.of());
      IpcClientOptions options =
          IpcClientOptions.of(Endpoint.ofPath("shm", folder.toString()))
              .withTimeout(Duration.ofSeconds(1));
      try (IpcClient client = IpcClient.open(options);
          IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults());
          IpcSubscriber subscriber =
              client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults());
          KafkaProducer<String, String> remote = producer(port)) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          offer(publisher, "local:" + i);
          sent.add(remote.send(new ProducerRecord<>("t", "remote:" + i)));
        }
        List<String> taken = new ArrayList<>();
        poll(subscriber, taken, 20);

        signal("STOP", broker.pid());
        for (int i = 10; i < 20; i++) {
          offer(publisher, "local:" + i);
          sent.add(remote.send(new ProducerRecord<>("t", "remote:" + i)));
        }
        // Who comes now is told; that takes the time-out, which passes for the others as well.
        try (IpcClient late = IpcClient.open(options)) {
          assertThatThrownBy(() -> late.publisher("t", 0, PublisherOptions.defaults()).close())
              .isInstanceOf(IOException.class);
        }
        signal("CONT", broker.pid());

        offer(publisher, "local:20");
        assertThat(publisher.awaitAppended(20, PATIENCE)).isTrue();
        for (Future<RecordMetadata> each : sent) {
          each.get(60, TimeUnit.SECONDS);
        }
        poll(subscriber, taken, 41);
        List<String> found = read(port);
        assertThat(taken).isEqualTo(found);
        assertThat(of("local", found)).isEqualTo(values("local", 21));
        assertThat(of("remote", found)).isEqualTo(values("remote", 20));
      }
    } finally {
      LocalBroker.delete(folder);
    }
  }

  private static void signal(String name, long pid) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Connections through shared memory that the broker of this process has. */
  private static long localConnections() throws Exception {
    return (long)
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName(
                    "kafka.server:type=socket-server-metrics,name=connection-count,listener=SHM"),
                "Value");
  }

  private static void offer(IpcPublisher publisher, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    await(value)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              assertThat(publisher.failure()).isNull();
              return publisher.offer(bytes, 0, bytes.length) >= 0;
            });
  }

  private static void poll(IpcSubscriber subscriber, List<String> taken, int count) {
    await(count + " records")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              subscriber.poll(
                  record -> taken.add(StandardCharsets.UTF_8.decode(record.value()).toString()),
                  1_000,
                  Duration.ofMillis(100));
              return taken.size() >= count;
            });
  }

  private static KafkaProducer<String, String> producer(int port) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", "127.0.0.1:" + port,
            "request.timeout.ms", "1000",
            "linger.ms", "0"),
        new StringSerializer(),
        new StringSerializer());
  }

  /** Reads all records over TCP, with their checksums checked. */
  private static List<String> read(int port) {
    TopicPartition partition = new TopicPartition("t", 0);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", "127.0.0.1:" + port),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).values().iterator().next();
      while (consumer.position(partition) < end) {
        consumer.poll(PATIENCE).forEach(each -> values.add(each.value()));
      }
    }
    return values;
  }

  private static List<String> of(String publisher, List<String> values) {
    return values.stream().filter(each -> each.startsWith(publisher + ":")).toList();
  }

  private static List<String> values(String publisher, int count) {
    return IntStream.range(0, count).mapToObj(i -> publisher + ":" + i).toList();
  }
}
