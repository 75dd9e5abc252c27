package io.weirmq.client.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Publishers, subscribers and brokers that are ended by SIGKILL at random moments: of four kills
 * one is a broker's and one a subscriber's, which reads the broker's files, has the published
 * offsets mapped and mostly waits in a long poll. Some in the build; {@code
 * -Dtest.jvm.args=-Dipc.kills=1000} makes it as many as the cases ask for.
 *
 * <p>What is in the broker's folders and what it holds open is written to {@code
 * target/kills/before.txt} and {@code after.txt}.
 */
@Timeout(value = 120, unit = TimeUnit.MINUTES) // a thousand JVMs take some time to start
class IpcKillTest {

  private static final int KILLS = Integer.getInteger("ipc.kills", 8);

  /** A publisher, a subscriber, a publisher, a broker. */
  private static final int KILLS_PER_TURN = 4;

  private static final long SEED = 20_261_130;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path data;

  private final Random random = new Random(SEED);

  @Test
  @DisplayName(
      "SM-01 SM-03 SM-04 SM-11: kill -9 of either side at random moments leaves nothing behind and"
          + " loses no acknowledged record")
  void nothingIsLostAndNothingStays_whenEitherSideIsKilled() throws Exception {
    Path folder = LocalBroker.localFolder();
    Path runtimeFolder = data.resolve("run").resolve("weirmq");
    Endpoint endpoint = Endpoint.ofPath("shm", folder.toString());
    List<Integer> acknowledged = new ArrayList<>();
    ChildProcess broker = ChildProcess.broker(data, folder, 0);
    try {
      int port = broker.told();
      LocalBroker.createTopic(port, "t", Map.of());
      // Once before the count, for whatever the JDK opens at the first use.
      ClientLife first = ClientLife.publisher(endpoint, 0, PATIENCE);
      ClientLife.subscriber(endpoint, PATIENCE).killSoon(random);
      acknowledged.add(first.killSoon(random));
      HeldByBroker before = settled(broker.pid(), runtimeFolder, folder);
      HeldByBroker.capture("before.txt", broker.pid(), runtimeFolder, folder);

      int brokerKills = 0;
      int subscriberKills = 0;
      ClientLife publisher = ClientLife.publisher(endpoint, 1, PATIENCE);
      ClientLife subscriber = ClientLife.subscriber(endpoint, PATIENCE);
      for (int i = 1; i <= KILLS; i++) {
        if (i % KILLS_PER_TURN == 0) {
          ClientLife.passTime(random);
          broker.close();
          brokerKills++;
          int answered = publisher.done();
          broker = ChildProcess.broker(data, folder, port);
          publisher.awaitMoreThan(answered, PATIENCE);
        } else if (i % KILLS_PER_TURN == KILLS_PER_TURN / 2) {
          subscriber.killSoon(random);
          subscriberKills++;
          subscriber = ClientLife.subscriber(endpoint, PATIENCE);
        } else {
          acknowledged.add(publisher.killSoon(random));
          publisher = ClientLife.publisher(endpoint, acknowledged.size(), PATIENCE);
        }
        subscriber.awaitMoreThan(subscriber.done(), PATIENCE);
      }
      acknowledged.add(publisher.killSoon(random));
      subscriber.killSoon(random);
      subscriberKills++;

      long pid = broker.pid();
      await("end of everything, seed %d".formatted(SEED))
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(HeldByBroker.now(pid, runtimeFolder, folder))
                      .usingRecursiveComparison()
                      .isEqualTo(before));
      HeldByBroker.capture("after.txt", pid, runtimeFolder, folder);
      assertThat(before.names()).containsExactly("lock", "socket");
      assertWhole(read(port), acknowledged);
      System.out.printf(
          "ipc kills: %d of publishers, %d of subscribers, %d of brokers, %d records acknowledged;"
              + " before and after %s%n",
          acknowledged.size(),
          subscriberKills,
          brokerKills,
          acknowledged.stream().mapToInt(Integer::intValue).sum(),
          before);
    } finally {
      broker.close();
      LocalBroker.delete(folder);
    }
  }

  /** What a broker holds when it has noticed that its only client was killed. */
  private static HeldByBroker settled(long pid, Path runtimeFolder, Path folder) {
    return await("end of the first client's connection")
        .atMost(PATIENCE)
        .until(
            () -> HeldByBroker.now(pid, runtimeFolder, folder),
            held -> held.names().size() == 2 && held.mappings() == 0);
  }

  /** Reads all records over TCP, by a client that has nothing to do with shared memory. */
  private static List<String> read(int port) {
    Map<String, Object> config =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:" + port,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    TopicPartition partition = new TopicPartition("t", 0);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config)) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).values().iterator().next();
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<String, String> each : consumer.poll(PATIENCE)) {
          values.add(each.value());
        }
      }
    }
    return values;
  }

  /** Each life's records from its first on, without a gap, none twice, to the acknowledged ones. */
  private static void assertWhole(List<String> found, List<Integer> acknowledged) {
    int[] next = new int[acknowledged.size()];
    for (String value : found) {
      int life = Integer.parseInt(value.substring(0, value.indexOf(':')));
      assertThat(value).isEqualTo(life + ":" + next[life]);
      next[life]++;
    }
    for (int life = 0; life < next.length; life++) {
      assertThat(next[life])
          .as("records of publisher %d", life)
          .isGreaterThanOrEqualTo(acknowledged.get(life));
    }
  }
}
