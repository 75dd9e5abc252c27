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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** SM-12: connections without traffic are not looked at. */
final class IdleTest {

  private static final int CONNECTIONS = 20;

  private final Path folder = TestFolder.fresh();

  @Test
  void sm12_threadsOfIdleConnectionsBlockUntilSomebodyRings() throws Exception {
    BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
    try (ShmTransport server = Transports.open();
        ShmTransport clients = Transports.open();
        Listener listener =
            server.listen(
                TestFolder.endpoint(folder),
                made -> {
                  RecordingHandler handler = new RecordingHandler();
                  accepted.add(handler);
                  return handler;
                })) {
      List<Connection> connections = new ArrayList<>();
      List<RecordingHandler> handlers = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(
            clients
                .connect(listener.endpoint(), new RecordingHandler())
                .toCompletableFuture()
                .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS));
        RecordingHandler handler = accepted.poll(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(handler).as("accepted").isNotNull();
        handlers.add(handler);
      }
      awaitSleep(server, clients);
      long serverSleeps = server.sleepCount();
      long clientSleeps = clients.sleepCount();

      exchangeElsewhere();

      assertThat(server.sleepCount()).as("nothing has woken the server").isEqualTo(serverSleeps);
      assertThat(clients.sleepCount()).as("or the clients").isEqualTo(clientSleeps);
      for (int i = 0; i < CONNECTIONS; i++) {
        Connection client = connections.get(i);
        client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {(byte) i})));
        client.flush();
        assertThat(handlers.get(i).awaitFrame()).containsExactly(i);
        awaitSleep(server, clients);
      }
    }
  }

  private static void awaitSleep(ShmTransport server, ShmTransport clients) {
    await("sleep of all I/O threads")
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(1))
        .until(() -> server.isAsleep() && clients.isAsleep());
  }

  /** Takes some time, as work and not as a sleep. */
  private static void exchangeElsewhere() throws Exception {
    try (ShmTransport other = Transports.open();
        Listener listener =
            other.listen(
                TestFolder.endpoint(TestFolder.fresh()),
                made ->
                    new RecordingHandler() {
                      @Override
                      protected void received(Connection connection, byte[] content) {
                        connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                        connection.flush();
                      }
                    })) {
      RecordingHandler handler = new RecordingHandler();
      Connection client =
          other
              .connect(listener.endpoint(), handler)
              .toCompletableFuture()
              .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      for (int i = 0; i < 1_000; i++) {
        client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[100])));
        client.flush();
        handler.awaitFrame();
      }
    }
  }
}
