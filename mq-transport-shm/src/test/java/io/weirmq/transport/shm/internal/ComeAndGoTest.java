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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * SM-11: connections come and go, and nothing stays. 300 of them in the build; {@code
 * -Dshm.cycles=10000} makes it as many as the case asks for.
 */
final class ComeAndGoTest {

  private static final int CYCLES = Integer.getInteger("shm.cycles", 300);

  private final Path folder = TestFolder.fresh();

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES) // ten thousand take some of them
  void sm11_nothingStaysAfterManyConnections() throws Exception {
    AtomicInteger received = new AtomicInteger();
    try (ShmTransport server = Transports.open();
        ShmTransport clients = Transports.open();
        Listener listener =
            server.listen(
                TestFolder.endpoint(folder),
                made ->
                    new RecordingHandler() {
                      @Override
                      protected void received(Connection connection, byte[] content) {
                        received.incrementAndGet();
                        connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                        connection.flush();
                      }
                    })) {
      // Once before the count, for whatever the JDK opens at the first use.
      cycle(clients, listener, 0);
      awaitNone(listener);
      ProcessResources before = ProcessResources.count(folder);
      assertThat(before.files()).isPositive();

      for (int i = 1; i <= CYCLES; i++) {
        cycle(clients, listener, i);
      }

      awaitNone(listener);
      assertThat(received).hasValue(CYCLES + 1);
      assertThat(listener.counters().accepted()).isGreaterThan(CYCLES);
      new ProcessResources(before.files(), 0).awaitAgain(folder);
      assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
      await()
          .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
          .until(() -> server.closedMappingCount() + clients.closedMappingCount() == 0);
    }
  }

  /** An exchange, then an end of one of four kinds. */
  private void cycle(ShmTransport clients, Listener listener, int number) throws Exception {
    RecordingHandler handler = new RecordingHandler();
    Connection client =
        clients
            .connect(listener.endpoint(), handler)
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[number % 1_000])));
    client.flush();
    assertThat(handler.awaitFrame()).hasSize(number % 1_000);
    if (number == 0) {
      // The count can see what must not stay: a mapping at either side.
      assertThat(ProcessResources.count(folder).mappings()).isEqualTo(2);
    }
    switch (number % 4) {
      case 0, 1 -> client.close();
      case 2 ->
          client.execute(
              () -> {
                throw new IllegalStateException("ends on purpose");
              });
      default -> {
        // A peer that vanishes: it drops its socket with no word, as the kernel does for a killed
        // one.
        RawPeer.Joined vanishing = RawPeer.join(folder);
        vanishing.close();
        client.close();
      }
    }
    handler.awaitClosed();
  }

  private static void awaitNone(Listener listener) {
    await("no connection")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> listener.connectionCount() == 0);
  }
}
