package io.weirmq.client.ipc;

import static io.weirmq.client.ipc.IpcEndToEndTest.take;
import static io.weirmq.client.ipc.IpcEndToEndTest.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.Endpoint;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed. */
@Timeout(240)
class IpcCrashTest {

  private static final int RECORDS = 2_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path data;

  @Test
  void nothingIsLostAndNothingComesTwice_whenTheBrokerIsKilled() throws Exception {
    Path folder = LocalBroker.localFolder();
    ChildProcess broker = ChildProcess.broker(data, folder, 0);
    int port = broker.told();
    LocalBroker.createTopic(port, "t", Map.of());
    List<Integer> taken = new ArrayList<>();
    try (IpcClient client =
            IpcClient.open(IpcClientOptions.of(Endpoint.ofPath("shm", folder.toString())));
        IpcPublisher publisher =
            client.publisher("t", 0, PublisherOptions.defaults().withSizes(2_000, 10_000));
        IpcSubscriber subscriber =
            client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = String.valueOf(i).getBytes(StandardCharsets.UTF_8);
        if (i == RECORDS / 3 || i == RECORDS / 2) {
          broker.close();
          broker = ChildProcess.broker(data, folder, port);
        }
        while (publisher.offer(value, 0, value.length) < 0) {
          assertThat(publisher.failure()).isNull();
          Thread.onSpinWait();
        }
        poll(subscriber, taken, Duration.ZERO);
      }
      assertThat(publisher.awaitAppended(RECORDS - 1, PATIENCE)).isTrue();
      long startNs = System.nanoTime();
      while (taken.size() < RECORDS && System.nanoTime() - startNs < PATIENCE.toNanos()) {
        poll(subscriber, taken, Duration.ofMillis(100));
      }
      assertThat(taken).isEqualTo(IntStream.range(0, RECORDS).boxed().toList());
    } finally {
      broker.close();
      LocalBroker.delete(folder);
    }
  }

  @Test
  @DisplayName("SM-11: a subscriber that is killed while the broker waits for it leaves nothing")
  void aSubscriberIsKilledInALongPoll() throws Exception {
    try (LocalBroker broker = LocalBroker.start(data)) {
      broker.createTopic("t", Map.of());
      try (IpcClient client = broker.client();
          IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
        byte[] value = {'x'};
        publisher.offer(value, 0, 1);
        assertThat(publisher.awaitAppended(0, PATIENCE)).isTrue();
      }
      ClientLife subscriber = ClientLife.subscriber(broker.endpoint(), PATIENCE);
      await().atMost(PATIENCE).until(() -> LocalBroker.waitingReads() == 1);
      assertThat(subscriber.kill()).isEqualTo(1);
      await().atMost(PATIENCE).until(() -> LocalBroker.waitingReads() == 0);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(broker.localFolderPath())
                      .isDirectoryNotContaining(
                          file ->
                              !List.of("lock", "socket").contains(file.getFileName().toString())));
    }
  }

  private static void poll(IpcSubscriber subscriber, List<Integer> taken, Duration wait)
      throws Exception {
    subscriber.poll(
        record -> {
          assertThat(record.offset()).isEqualTo(taken.size());
          taken.add(Integer.valueOf(text(record.value())));
        },
        1_000,
        wait);
  }

  @Test
  @DisplayName("SM-01: a publisher that is killed between claim and commit leaves nothing behind")
  void aPublisherIsKilledBetweenClaimAndCommit() throws Exception {
    try (LocalBroker broker = LocalBroker.start(data)) {
      broker.createTopic("t", Map.of());
      try (ChildProcess publisher = ChildProcess.publisherThatClaims(broker.endpoint())) {
        assertThat(publisher.told()).isEqualTo(10);
      }
      try (IpcClient client = broker.client();
          IpcPublisher next = client.publisher("t", 0, PublisherOptions.defaults());
          IpcSubscriber subscriber =
              client.subscriber("t", 0, StartPosition.offset(9), SubscriberOptions.defaults())) {
        byte[] value = {'x'};
        next.offer(value, 0, 1);
        assertThat(take(subscriber, 2)).containsExactly("9 null=\u0001\u0002\u0003", "10 null=x");
        assertThat(subscriber.poll(record -> {}, 1)).isZero();
      }
    }
  }
}
