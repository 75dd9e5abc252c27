package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.TestFolder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Processes that are ended by SIGKILL at any moment. A few in the build; {@code -Dshm.kills=1000}
 * makes it as many as the cases ask for.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES) // a thousand JVMs take some time to start
final class KillTest {

  private static final int KILLS = Integer.getInteger("shm.kills", 8);

  /** SM-04 asks for so many. */
  private static final int RESTARTS = Math.max(20, KILLS / 2);

  private static final long SEED = 20_261_130;

  /** Long, as whoever gets no processor for so long is cut too. */
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(2);

  private final Path folder = TestFolder.fresh();

  /** The moment is what is random here; nothing depends on what happens until then. */
  private static void passTime(Random random, int microsMax) {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(microsMax)));
  }

  @Test
  void sm01_sm11_aKilledConnectingSideLeavesNothing() throws Exception {
    Random random = new Random(SEED);
    try (ShmTransport server = Transports.open();
        Listener listener =
            server.listen(
                TestFolder.endpoint(folder),
                made ->
                    new RecordingHandler() {
                      @Override
                      protected void received(Connection connection, byte[] content) {
                        connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                        connection.flush();
                      }
                    })) {
      // Once before the count, for whatever the JDK opens at the first use.
      killOne(server, listener, random);
      long filesBefore = ProcessResources.count(folder).files();

      for (int i = 0; i < KILLS; i++) {
        killOne(server, listener, random);
      }

      new ProcessResources(filesBefore, 0).awaitAgain(folder);
      assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
    }
  }

  private void killOne(ShmTransport server, Listener listener, Random random) throws Exception {
    try (ChildProcess child = ChildProcess.storm(folder)) {
      child.awaitBegun();
      passTime(random, 300_000);
      child.kill();
    }
    await("end of everything after a kill, seed %d".formatted(SEED))
        .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
        .pollInterval(Duration.ofMillis(1))
        .until(
            () ->
                listener.connectionCount() == 0
                    && server.handshakeCount() == 0
                    && TestFolder.files(folder).size() == 2);
  }

  @Test
  void sm03_sm04_aListenerStartsAtOnceWhereOneWasKilled() throws Exception {
    Random random = new Random(SEED);
    try (ShmTransport clients = Transports.open()) {
      for (int i = 0; i < RESTARTS; i++) {
        RecordingHandler handler = new RecordingHandler();
        try (ChildProcess child = ChildProcess.serve(folder)) {
          child.awaitBegun();
          Connection client =
              clients
                  .connect(TestFolder.endpoint(folder), handler)
                  .toCompletableFuture()
                  .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
          client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {(byte) i})));
          client.flush();
          assertThat(handler.awaitFrame()).containsExactly(i);
          passTime(random, 20_000);
          child.kill();
        }
        assertThat(handler.awaitClosed()).as("kill %d", i).isNotNull();
        assertThat(TestFolder.files(folder)).contains("lock", "socket");
        try (ShmTransport next = Transports.open();
            Listener listener =
                next.listen(TestFolder.endpoint(folder), made -> new RecordingHandler())) {
          assertThat(listener.endpoint().host()).isEqualTo(folder.toString());
          assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
        }
      }
    }
  }

  @Test
  void sm02_sm07_aStoppedPeerHoldsUpNobodyAndGoesOn() throws Exception {
    try (ShmTransport clients = Transports.open();
        ShmTransport other = Transports.open();
        Listener healthy =
            other.listen(TestFolder.endpoint(TestFolder.fresh()), made -> new RecordingHandler());
        ChildProcess child = ChildProcess.serve(folder)) {
      child.awaitBegun();
      RecordingHandler handler = new RecordingHandler();
      Connection client = connect(clients, TestFolder.endpoint(folder), handler);
      Connection bystander = connect(clients, healthy.endpoint(), new RecordingHandler());
      child.signal("STOP");

      // More than the ring of 64 KiB takes: the rest is pending here, and bounded.
      int frames = 200;
      for (int i = 0; i < frames; i++) {
        client.send(OutboundFrame.of(ByteBuffer.allocate(1_000).putInt(0, i)));
        client.flush();
      }
      bystander.send(OutboundFrame.of(ByteBuffer.allocate(1)));
      bystander.close();
      await()
          .atMost(Duration.ofSeconds(RecordingHandler.WAIT_SECONDS))
          .until(() -> healthy.connectionCount() == 0);
      assertThat(handler.frameCount()).isZero();
      child.signal("CONT");

      for (int i = 0; i < frames; i++) {
        assertThat(ByteBuffer.wrap(handler.awaitFrame()).getInt()).isEqualTo(i);
      }
    }
  }

  /**
   * A writer that claims, is stopped for longer than the idle time-out, and then commits: it is cut
   * meanwhile. Its late commit goes into memory that nobody reads any more, and it hears of the end
   * from its socket.
   */
  @Test
  void sm02_aConnectingWriterThatIsStoppedWithinAClaimIsCutAndCanConnectAgain() throws Exception {
    BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
    TransportOptions options =
        TransportOptions.defaults().withIoThreads(1, "sm02").withIdleTimeout(IDLE_TIMEOUT);
    try (ShmTransport server = Transports.open(options);
        ShmTransport clients = Transports.open();
        Listener listener =
            server.listen(
                TestFolder.endpoint(folder),
                made -> {
                  RecordingHandler handler =
                      new RecordingHandler() {
                        @Override
                        protected void received(Connection connection, byte[] content) {
                          connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                          connection.flush();
                        }
                      };
                  accepted.add(handler);
                  return handler;
                })) {
      RecordingHandler honest = new RecordingHandler();
      Connection bystander = connect(clients, listener.endpoint(), honest);
      accepted.take();
      try (ChildProcess writer = ChildProcess.claim(folder)) {
        writer.awaitBegun();
        RecordingHandler atServer = accepted.take();
        writer.signal("STOP");
        byte[] content = new byte[2_000];
        for (int i = 0; i == 0 || !atServer.isClosed(); i++) {
          ByteBuffer.wrap(content).putInt(i);
          bystander.send(OutboundFrame.of(ByteBuffer.wrap(content.clone())));
          bystander.flush();
          assertThat(honest.awaitFrame()).as("frame %d of the bystander", i).isEqualTo(content);
        }
        assertThat(atServer.awaitClosed()).hasMessageContaining("no traffic with peer");
        writer.signal("CONT");

        writer.tell();
        assertThat(writer.awaitLine()).isEqualTo("committed; the bell: Broken pipe");
        assertThat(writer.awaitLine()).isEqualTo("connected again, 4 bytes came back");
        assertThat(atServer.frameCount()).as("of what was committed late").isZero();
      }
      assertThat(honest.isClosed()).isFalse();
    }
  }

  @Test
  void sm06_peersInOtherPidNamespacesAreSeenToLiveAndToDie() throws Exception {
    assumeTrue(ChildProcess.hasNamespaces(), "only an administrator can make pid namespaces");
    try (ShmTransport clients = Transports.open()) {
      RecordingHandler handler = new RecordingHandler();
      try (ChildProcess child = ChildProcess.serveInNamespace(folder)) {
        child.awaitBegun();
        Connection client = connect(clients, TestFolder.endpoint(folder), handler);
        client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {6})));
        client.flush();
        assertThat(handler.awaitFrame()).containsExactly(6);
        assertThatThrownBy(
                () -> clients.listen(TestFolder.endpoint(folder), made -> new RecordingHandler()))
            .as("it lives, whatever its number")
            .hasMessageContaining("in use");
        child.kill();
      }
      assertThat(handler.awaitClosed()).isNotNull();
      try (Listener listener =
          clients.listen(TestFolder.endpoint(folder), made -> new RecordingHandler())) {
        assertThat(TestFolder.files(folder)).containsExactly("lock", "socket");
        assertThat(listener.connectionCount()).isZero();
      }
    }
  }

  private static Connection connect(
      ShmTransport transport, Endpoint endpoint, RecordingHandler handler) throws Exception {
    return transport
        .connect(endpoint, handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
