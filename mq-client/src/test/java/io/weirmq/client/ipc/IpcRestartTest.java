package io.weirmq.client.ipc;

import static io.weirmq.client.ipc.IpcEndToEndTest.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that stops and starts again under a publisher and a subscriber. */
@Timeout(180)
class IpcRestartTest {

  private static final int RECORDS = 3_000;
  private static final int RESTARTS = 3;

  @TempDir Path data;

  @Test
  void nothingIsLostAndNothingComesTwice_overRestartsOfTheBroker() throws Exception {
    Path folder = LocalBroker.localFolder();
    LocalBroker broker = LocalBroker.start(data, folder, 0, Map.of());
    int port = broker.port();
    broker.createTopic("t", Map.of());
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Integer> taken = new ArrayList<>();
    try (IpcClient client = broker.client();
        IpcPublisher publisher =
            client.publisher("t", 0, PublisherOptions.defaults().withSizes(2_000, 10_000));
        IpcSubscriber subscriber =
            client.subscriber("t", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      Thread reading =
          new Thread(
              () -> {
                try {
                  while (taken.size() < RECORDS) {
                    subscriber.poll(
                        record -> {
                          assertThat(record.offset()).isEqualTo(taken.size());
                          taken.add(Integer.valueOf(text(record.value())));
                        },
                        100,
                        Duration.ofMillis(100));
                  }
                } catch (Exception | AssertionError e) {
                  failure.set(e);
                }
              });
      reading.start();
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = String.valueOf(i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        if (i % (RECORDS / RESTARTS) == RECORDS / RESTARTS / 2) {
          broker.close();
          broker = LocalBroker.start(data, folder, port, Map.of());
        }
        while (publisher.offer(value, 0, value.length) < 0) {
          assertThat(publisher.failure()).isNull();
          Thread.onSpinWait();
        }
      }
      assertThat(publisher.awaitAppended(RECORDS - 1, Duration.ofSeconds(60))).isTrue();
      reading.join();
      assertThat(failure.get()).isNull();
      assertThat(taken).isEqualTo(IntStream.range(0, RECORDS).boxed().toList());
      assertThat(publisher.lastAppendedOffset()).isEqualTo(RECORDS - 1);
    } finally {
      broker.close();
    }
  }
}
