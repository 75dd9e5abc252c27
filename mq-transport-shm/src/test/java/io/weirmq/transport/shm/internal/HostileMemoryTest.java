package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.TestFolder;
import io.weirmq.transport.shm.internal.loop.MemoryFaults;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that writes what no peer writes loses its connection, and nothing else happens. */
final class HostileMemoryTest {

  private static final int FRAME_BYTES_MAX = 100_000;

  /** Content whose handler is ended by the JVM. */
  private static final byte[] INTERRUPTED = {1, 2, 3, 4, 5};

  private final Path folder = TestFolder.fresh();
  private final BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
  private ShmTransport server;
  private ShmTransport clients;
  private Listener listener;
  private RecordingHandler honest;
  private Connection bystander;

  @SuppressWarnings("NullAway.Init") // set before each test
  HostileMemoryTest() {}

  @BeforeEach
  void open() throws Exception {
    // One I/O thread, so that the honest connection shares it with the others.
    TransportOptions options =
        TransportOptions.defaults().withFrameBytesMax(FRAME_BYTES_MAX).withIoThreads(1, "hostile");
    server = Transports.open(options);
    clients = Transports.open(options);
    listener =
        server.listen(
            TestFolder.endpoint(folder),
            made -> {
              RecordingHandler handler =
                  new RecordingHandler() {
                    private final MemoryFaults faults = new MemoryFaults();

                    @Override
                    protected void received(Connection connection, byte[] content) {
                      faults.report();
                      if (Arrays.equals(content, INTERRUPTED)) {
                        throw new InternalError("memory fails on purpose");
                      }
                      connection.send(OutboundFrame.of(ByteBuffer.wrap(content)));
                      connection.flush();
                    }
                  };
              accepted.add(handler);
              return handler;
            });
    honest = new RecordingHandler();
    bystander =
        clients
            .connect(TestFolder.endpoint(folder), honest)
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    nextAccepted();
  }

  @AfterEach
  void close() {
    clients.close();
    server.close();
  }

  private RecordingHandler nextAccepted() throws InterruptedException {
    RecordingHandler handler = accepted.poll(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(handler).as("accepted connection").isNotNull();
    return handler;
  }

  private void assertBystanderIsServed(String when) {
    byte[] content = new byte[3_000];
    new Random(when.hashCode()).nextBytes(content);
    bystander.send(OutboundFrame.of(ByteBuffer.wrap(content)));
    bystander.flush();
    assertThat(honest.awaitFrame()).as(when).isEqualTo(content);
    assertThat(honest.isClosed()).isFalse();
  }

  private static void write(RingWriter writer, int kind, byte[] payload) throws IOException {
    int position = writer.claim(payload.length);
    assertThat(position).isNotNegative();
    writer.memory().put(position, payload);
    writer.commit(kind);
  }

  /** A first piece that says how long its frame is. */
  private static byte[] first(int length, int bytes) {
    return ByteBuffer.allocate(4 + bytes)
        .order(java.nio.ByteOrder.nativeOrder())
        .putInt(length)
        .array();
  }

  @Test
  void randomBytesAllOverTheMemoryWhileTrafficRuns() throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      try (RawPeer.Joined peer = RawPeer.join(folder)) {
        RecordingHandler atServer = nextAccepted();
        RingWriter writer = peer.writer();
        MappedByteBuffer memory = peer.memory();
        byte[] noise = new byte[512];
        int writes = 0;
        while (!atServer.isClosed() && writes < 20_000) {
          if (writes < 50) {
            write(writer, RecordKind.WHOLE, new byte[random.nextInt(200)]);
          }
          random.nextBytes(noise);
          memory.put(random.nextInt(memory.capacity() - noise.length), noise);
          writes++;
          peer.peer().ring();
          if (writes % 50 == 0) {
            assertBystanderIsServed("seed " + seed + ", write " + writes);
          }
        }
      } catch (IOException e) {
        // The socket was closed under our hands, as it should be.
        assertThat(e).as("seed %d", seed).hasMessageMatching("Broken pipe|Connection reset.*");
      }
      assertBystanderIsServed("after seed " + seed);
    }
    assertThat(listener.counters().framingErrors()).isPositive();
  }

  @Test
  void aWholeRingOfNoiseEndsItsConnectionAsAFramingError() throws Exception {
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RecordingHandler atServer = nextAccepted();
      byte[] noise = new byte[RawPeer.RING_BYTES];
      Arrays.fill(noise, (byte) 0xff);
      peer.memory().put(512, noise);
      peer.peer().ring();

      assertThat(atServer.awaitClosed()).isNotNull().hasMessageContaining("record of kind 7");
      peer.peer().awaitEnd();
    }
    assertThat(listener.counters().framingErrors()).isEqualTo(1);
    assertBystanderIsServed("after noise");
  }

  /** One word that would keep the thread of all connections for ever. */
  @Test
  @Timeout(60)
  void paddingOverTheWholeRingEndsItsConnection() throws Exception {
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RecordingHandler atServer = nextAccepted();
      int padding = (RawPeer.RING_BYTES - 8) << 3 | 6;
      peer.memory().order(java.nio.ByteOrder.nativeOrder()).putInt(512, padding);
      peer.peer().ring();

      assertThat(atServer.awaitClosed())
          .isNotNull()
          .hasMessageContaining("padding of 65528 bytes at index 0");
    }
    assertThat(listener.counters().framingErrors()).isEqualTo(1);
    assertBystanderIsServed("after the padding");
  }

  @Test
  void piecesThatDoNotFitEndTheirConnection() throws Exception {
    assertEnds("first piece of a frame after 6 of 100 bytes", first(100, 6), 2, first(100, 6), 2);
    assertEnds("a whole frame after 6 bytes", first(100, 6), 2, new byte[3], 1);
    assertEnds("the end after 6 bytes", first(100, 6), 2, new byte[0], 5);
    assertEnds("last piece of 93 bytes; expected exactly 94", first(100, 6), 2, new byte[93], 4);
    assertEnds("last piece of 95 bytes; expected exactly 94", first(100, 6), 2, new byte[95], 4);
    assertEnds("further piece of 94 bytes", first(100, 6), 2, new byte[94], 3);
    assertEnds("further piece of 0 bytes", first(100, 6), 2, new byte[0], 3);
    assertEnds("expected a frame to begin first", new byte[5], 4);
    assertEnds("expected a frame to begin first", new byte[5], 3);
    assertEnds("first piece of 4 bytes; expected more than 4", first(100, 0), 2);
    assertEnds("further piece of 100 bytes", first(100, 100), 2);
    assertEnds("frame length -1 is outside 0..100000", first(-1, 6), 2);
    assertEnds("frame length 100001 is outside 0..100000", first(100_001, 6), 2);
    assertEnds("frame length 2147483647 is outside 0..100000", first(Integer.MAX_VALUE, 6), 2);
    assertThat(listener.counters().framingErrors()).isEqualTo(14);
    assertThat(listener.connectionCount()).isEqualTo(1);
  }

  private void assertEnds(String message, Object... payloadsAndKinds) throws Exception {
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RecordingHandler atServer = nextAccepted();
      RingWriter writer = peer.writer();
      for (int i = 0; i < payloadsAndKinds.length; i += 2) {
        write(writer, (int) payloadsAndKinds[i + 1], (byte[]) payloadsAndKinds[i]);
      }
      peer.peer().ring();

      assertThat(atServer.awaitClosed()).isNotNull().hasMessageContaining(message);
      assertThat(atServer.frameCount()).isZero();
    }
    assertBystanderIsServed(message);
  }

  @Test
  void aReadPositionThatCannotBeEndsTheConnectionThatMeetsIt() throws Exception {
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RecordingHandler atServer = nextAccepted();
      // The ring to us: we claim to have read what was never written.
      peer.memory()
          .order(java.nio.ByteOrder.nativeOrder())
          .putLong(512 + RawPeer.RING_BYTES + 128, 1L << 40);
      Connection connection = atServer.awaitOpen();
      for (int i = 0; i < 10; i++) {
        connection.send(OutboundFrame.of(ByteBuffer.allocate(8_000)));
      }
      connection.flush();

      assertThat(atServer.awaitClosed())
          .isNotNull()
          .hasMessageContaining("says that it has read to position 1099511627776");
    }
    assertBystanderIsServed("after the lie");
  }

  @Test
  void aPeerThatEndsWithinAFrameIsSaidToHaveDoneSo() throws Exception {
    RecordingHandler atServer;
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      atServer = nextAccepted();
      write(peer.writer(), RecordKind.FIRST, first(100, 6));
    }
    assertThat(atServer.awaitClosed())
        .isInstanceOf(java.io.EOFException.class)
        .hasMessageContaining("ended inside a frame, after 6 bytes");
  }

  @Test
  void aPeerThatWritesOnWithoutASocketIsCut() throws Exception {
    RawPeer.Joined peer = RawPeer.join(folder);
    RecordingHandler atServer = nextAccepted();
    RingWriter writer = peer.writer();
    peer.peer().close();
    long written = 0;
    while (!atServer.isClosed() && written < 1_000_000) {
      int position = writer.claim(100);
      if (position >= 0) {
        writer.commit(RecordKind.WHOLE);
        written++;
      } else {
        Thread.onSpinWait();
      }
    }
    peer.file().close();

    assertThat(atServer.awaitClosed()).isNotNull().hasMessageContaining("without closing");
    assertBystanderIsServed("after the writer");
  }

  @Test
  void aPeerThatCutsTheFileEndsItsConnectionOnly() throws Exception {
    for (int round = 0; round < 40; round++) {
      try (RawPeer.Joined peer = RawPeer.join(folder)) {
        RecordingHandler atServer = nextAccepted();
        write(peer.writer(), RecordKind.WHOLE, new byte[10]);
        peer.peer().ring();
        atServer.awaitFrame();
        peer.file().truncate(0);
        ringUnlessCut(peer);

        assertThat(atServer.awaitClosed()).isNotNull().hasMessageContaining("has cut the file");
      }
      assertBystanderIsServed("round " + round);
    }
    assertThat(listener.counters().framingErrors()).isEqualTo(40);
  }

  private static void ringUnlessCut(RawPeer.Joined peer) {
    try {
      peer.peer().ring();
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*"); // seen without a bell
    }
  }

  /** The JVM reports a fault late, and would do so in the handler that is called next. */
  @Test
  void aHandlerDoesNotMeetTheFaultOfAnotherConnectionsMemory() throws Exception {
    AtomicInteger read = new AtomicInteger();
    byte[] content = {9};
    for (int round = 0; round < 50; round++) {
      try (RawPeer.Joined peer = RawPeer.join(folder)) {
        RecordingHandler atServer = nextAccepted();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch frameIsThere = new CountDownLatch(1);
        // Does on the thread what a look into the ring does, at a moment of our choice.
        atServer
            .awaitOpen()
            .execute(
                () -> {
                  begun.countDown();
                  awaitQuietly(frameIsThere);
                  read.lazySet(peer.memory().get(4096));
                });
        begun.await();
        peer.file().truncate(0);
        bystander.send(OutboundFrame.of(ByteBuffer.wrap(content)));
        bystander.flush();
        frameIsThere.countDown();

        assertThat(honest.awaitFrame()).as("round %d", round).isEqualTo(content);
        assertThat(atServer.awaitClosed()).isNotNull();
      }
    }
    assertThat(honest.isClosed()).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted in a task", e);
    }
  }

  @Test
  void anErrorOfTheJvmWithinAHandlerCutsItsConnectionAndTheOneWhoseFileIsCut() throws Exception {
    RecordingHandler interrupted = new RecordingHandler();
    Connection atClient = connect(interrupted);
    RecordingHandler atServer = nextAccepted();
    try (RawPeer.Joined peer = RawPeer.join(folder)) {
      RecordingHandler hostile = nextAccepted();
      hostile.awaitOpen();
      peer.file().truncate(0);

      atClient.send(OutboundFrame.of(ByteBuffer.wrap(INTERRUPTED)));
      atClient.flush();

      assertThat(atServer.awaitClosed()).hasMessageContaining("was reported within onFrame");
      assertThat(hostile.awaitClosed()).hasMessageContaining("has cut the file");
    }
    interrupted.awaitClosed();
    assertBystanderIsServed("after the fault");
  }

  private Connection connect(RecordingHandler handler) throws Exception {
    return clients
        .connect(TestFolder.endpoint(folder), handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
