package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.TestFolder;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A listener that writes what no listener writes: a client loses its connection to it, and keeps
 * that to another one on the same thread.
 */
@Timeout(120)
final class HostileListenerTest {

  private final Path hostileFolder = TestFolder.existing();
  private ShmTransport server;
  private ShmTransport clients;
  private RawListener hostile;
  private RecordingHandler honest;
  private Connection bystander;

  @SuppressWarnings("NullAway.Init") // set before each test
  HostileListenerTest() {}

  @BeforeEach
  void open() throws Exception {
    server = Transports.open();
    clients =
        Transports.open(
            TransportOptions.defaults().withFrameBytesMax(100_000).withIoThreads(1, "client"));
    Listener listener =
        server.listen(
            TestFolder.endpoint(TestFolder.fresh()),
            made ->
                new RecordingHandler() {
                  @Override
                  protected void received(Connection connection, byte[] content) {
                    connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                    connection.flush();
                  }
                });
    honest = new RecordingHandler();
    bystander =
        clients
            .connect(listener.endpoint(), honest)
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    hostile = RawListener.bind(hostileFolder);
  }

  @AfterEach
  void close() throws IOException {
    clients.close();
    server.close();
    hostile.close();
  }

  private CompletableFuture<Connection> connect(RecordingHandler handler) {
    return clients.connect(TestFolder.endpoint(hostileFolder), handler).toCompletableFuture();
  }

  private void assertBystanderIsServed(String when) {
    byte[] content = new byte[3_000];
    new Random(when.hashCode()).nextBytes(content);
    bystander.send(OutboundFrame.of(ByteBuffer.wrap(content)));
    bystander.flush();
    assertThat(honest.awaitFrame()).as(when).isEqualTo(content);
    assertThat(honest.isClosed()).isFalse();
  }

  @Test
  void randomBytesAllOverTheMemoryWhileTrafficRuns() throws Exception {
    int ended = 0;
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      RecordingHandler handler = new RecordingHandler();
      CompletableFuture<Connection> connecting = connect(handler);
      try (RawListener.Joined peer = hostile.accept()) {
        Connection connection = connecting.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
        RingWriter writer = peer.writer();
        MappedByteBuffer memory = peer.memory();
        byte[] noise = new byte[512];
        for (int writes = 1; writes <= 2_000 && !handler.isClosed(); writes++) {
          if (writes <= 50) {
            int position = writer.claim(random.nextInt(200));
            assertThat(position).isNotNegative();
            writer.commit(RecordKind.WHOLE);
          }
          random.nextBytes(noise);
          memory.put(random.nextInt(memory.capacity() - noise.length), noise);
          connection.send(OutboundFrame.of(ByteBuffer.allocate(random.nextInt(20_000))));
          connection.flush();
          peer.ring();
          if (writes % 50 == 0) {
            assertBystanderIsServed("seed " + seed + ", write " + writes);
          }
        }
      } catch (IOException e) {
        // The socket was closed under our hands, as it should be.
        assertThat(e)
            .as("seed %d", seed)
            .hasMessageMatching("Broken pipe|Connection reset.*|.*read to position.*");
      }
      assertThat(handler.awaitClosed()).as("seed %d", seed).isNotNull();
      ended++;
      assertBystanderIsServed("after seed " + seed);
    }
    assertThat(ended).isEqualTo(40);
  }

  @Test
  void aWholeRingOfNoiseAPaddingAndACutFileEndTheConnectionWithTheReason() throws Exception {
    byte[] noise = new byte[RawListener.RING_BYTES];
    Arrays.fill(noise, (byte) 0xff);
    assertEnds("record of kind 7", peer -> peer.memory().put(2 * 512 + noise.length, noise));
    int padding = (RawListener.RING_BYTES - 8) << 3 | 6;
    assertEnds(
        "padding of 65528 bytes at index 0",
        peer ->
            peer.memory()
                .order(ByteOrder.nativeOrder())
                .putInt(2 * 512 + RawListener.RING_BYTES, padding));
    assertEnds("has cut the file", peer -> peer.file().truncate(0));
  }

  private interface Act {
    void on(RawListener.Joined peer) throws IOException;
  }

  private void assertEnds(String message, Act act) throws Exception {
    RecordingHandler handler = new RecordingHandler();
    CompletableFuture<Connection> connecting = connect(handler);
    try (RawListener.Joined peer = hostile.accept()) {
      connecting.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      act.on(peer);
      try {
        peer.ring();
      } catch (IOException e) {
        assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*"); // seen without a bell
      }

      assertThat(handler.awaitClosed()).isNotNull().hasMessageContaining(message);
      assertThat(handler.frameCount()).isZero();
    }
    assertBystanderIsServed(message);
  }
}
