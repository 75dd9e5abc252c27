package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.shm.TestFolder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a listener tells of waits and wake-ups. */
final class ListenerGaugesTest {

  private final Path folder = TestFolder.fresh();

  @Test
  void countsTheBellsItRings_andTheTimesItsRingsAreFull() throws Exception {
    CompletableFuture<Connection> accepted = new CompletableFuture<>();
    try (ShmTransport server = Transports.open();
        ShmTransport clients = Transports.open();
        Listener listener =
            server.listen(
                TestFolder.endpoint(folder),
                made -> {
                  accepted.complete(made);
                  return new RecordingHandler();
                })) {
      assertThat(listener.transportGauges().keySet())
          .containsExactlyInAnyOrder(
              "ring-full-total", "bell-total", "io-thread-sleep-total", "closed-mapping-count");
      RecordingHandler handler = new RecordingHandler();
      Connection client =
          clients
              .connect(listener.endpoint(), handler)
              .toCompletableFuture()
              .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      Connection served = accepted.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      await().atMost(Duration.ofSeconds(30)).until(() -> server.isAsleep() && clients.isAsleep());
      long bells = value(listener, "bell-total");

      served.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {7})));
      served.flush();
      assertThat(handler.awaitFrame()).containsExactly(7);
      assertThat(value(listener, "bell-total")).isEqualTo(bells + 1);
      assertThat(value(listener, "ring-full-total")).isZero();

      client.pauseReading();
      await().atMost(Duration.ofSeconds(30)).until(clients::isAsleep);
      for (int i = 0; i < 40; i++) { // twice the ring and more
        served.send(OutboundFrame.of(ByteBuffer.allocate(64 * 1024)));
      }
      served.flush();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> value(listener, "ring-full-total") > 0 && server.isAsleep());
      assertThat(value(listener, "io-thread-sleep-total")).isEqualTo(server.sleepCount());

      client.resumeReading();
      for (int i = 0; i < 40; i++) {
        assertThat(handler.awaitFrame()).hasSize(64 * 1024);
      }
    }
  }

  private static long value(Listener listener, String name) {
    return Objects.requireNonNull(listener.transportGauges().get(name), name).getAsLong();
  }
}
