package io.weirmq.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.Transport;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Order, sizes and contents of frames. */
abstract class FrameContract extends ContractCase {

  private static final int[] SIZES = {
    0, 1, 2, 3, 4, 5, 100, 511, 512, 513, 2044, 2045, 4095, 4096, 4097, 16_384, 65_531, 65_532,
    65_536, 65_537, 200_000, 1_048_572, 1_048_576, 3_000_000
  };

  @Test
  void detachedContentOutlivesFramesThatFollow() throws Exception {
    Server server = serve(options());
    List<ByteBuffer> detached = new CopyOnWriteArrayList<>();
    CountDownLatch all = new CountDownLatch(100);
    ConnectionHandler keeper =
        new ConnectionHandler() {
          @Override
          public void onOpen(Connection connection) {}

          @Override
          public void onFrame(Connection connection, InboundFrame frame) {
            detached.add(frame.detach());
            all.countDown();
          }

          @Override
          public void onClosed(Connection connection, @Nullable Throwable cause) {}
        };
    connect(server, keeper);
    Connection accepted = server.awaitAccepted().awaitOpen();

    for (int i = 0; i < 100; i++) {
      accepted.send(ledger.frame(content(i, i % 2 == 0 ? 100 : 300_000)));
    }
    accepted.flush();

    assertThat(all.await(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(detached.get(i).hasArray()).as("frame %d is on the heap", i).isTrue();
      assertThat(detached.get(i))
          .as("frame %d", i)
          .isEqualTo(ByteBuffer.wrap(content(i, i % 2 == 0 ? 100 : 300_000)));
    }
  }

  @Test
  void deliversFramesOfAllSizesInOrderFromHeapAndDirectMemory() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();

    for (int i = 0; i < SIZES.length; i++) {
      client.send(ledger.frame(content(i, SIZES[i])));
      client.send(ledger.directFrame(content(i + 1000, SIZES[i])));
      client.flush();
    }

    for (int i = 0; i < SIZES.length; i++) {
      assertThat(accepted.awaitFrame())
          .as("heap, size %d", SIZES[i])
          .isEqualTo(content(i, SIZES[i]));
      assertThat(accepted.awaitFrame())
          .as("direct, size %d", SIZES[i])
          .isEqualTo(content(i + 1000, SIZES[i]));
    }
  }

  @Test
  void deliversManySmallFramesThatWereFlushedTogether() throws Exception {
    int count = 20_000;
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    Random sizes = new Random(7);
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(content(i, sizes.nextInt(200)));
    }

    for (byte[] each : sent) {
      client.send(OutboundFrame.of(ByteBuffer.wrap(each)));
    }
    client.flush();

    List<byte[]> received = server.awaitAccepted().awaitFrames(count);
    for (int i = 0; i < count; i++) {
      assertThat(received.get(i)).as("frame %d", i).isEqualTo(sent.get(i));
    }
  }

  @Test
  void mixesSizesAtRandomInBothDirections() throws Exception {
    long seed = 20_261_129;
    int count = 400;
    Server server = serve(options(), () -> new Echo(ledger));
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    Random random = new Random(seed);
    List<byte[]> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int magnitude = 1 << random.nextInt(18);
      sent.add(content(i, random.nextInt(magnitude)));
    }

    for (byte[] each : sent) {
      client.send(random.nextBoolean() ? ledger.frame(each) : ledger.directFrame(each));
      if (random.nextInt(4) == 0) {
        client.flush();
      }
    }
    client.flush();

    for (int i = 0; i < count; i++) {
      assertThat(handler.awaitFrame()).as("seed %d, frame %d", seed, i).isEqualTo(sent.get(i));
    }
  }

  @Test
  void carriesARoundTripAtATime() throws Exception {
    Server server = serve(options(), () -> new Echo(ledger));
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);

    for (int i = 0; i < 500; i++) {
      client.send(ledger.frame(content(i, 64)));
      client.flush();
      assertThat(handler.awaitFrame()).as("round %d", i).isEqualTo(content(i, 64));
    }
  }

  @Test
  void keepsTheOrderOfEachSendingThread() throws Exception {
    int threadCount = 4;
    int perThread = 2_000;
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());

    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < threadCount; t++) {
      int id = t;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < perThread; i++) {
                  ByteBuffer content = ByteBuffer.allocate(8).putInt(id).putInt(i).flip();
                  client.send(ledger.frame(List.of(new OutboundPart.Bytes(content))));
                  client.flush();
                }
              },
              "contract-sender-" + t);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(RecordingHandler.WAIT_SECONDS));
    }

    int[] next = new int[threadCount];
    for (byte[] each : server.awaitAccepted().awaitFrames(threadCount * perThread)) {
      ByteBuffer content = ByteBuffer.wrap(each);
      int thread = content.getInt();
      assertThat(content.getInt()).as("next frame of thread %d", thread).isEqualTo(next[thread]++);
    }
  }

  @Test
  void joinsThePiecesOfAFrame() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    byte[] large = content(1, 100_000);
    ByteBuffer window = ByteBuffer.wrap("..inside..".getBytes(UTF_8)).position(2).limit(8);
    ByteBuffer readOnly = ByteBuffer.wrap("read-only".getBytes(UTF_8)).asReadOnlyBuffer();
    ByteBuffer direct = ByteBuffer.allocateDirect(large.length).put(large).flip();

    client.send(
        ledger.frame(
            List.of(
                new OutboundPart.Bytes(window),
                new OutboundPart.Bytes(ByteBuffer.allocate(0)),
                new OutboundPart.Bytes(direct),
                new OutboundPart.Bytes(readOnly))));
    client.flush();

    byte[] received = server.awaitAccepted().awaitFrame();
    assertThat(new String(received, 0, 6, UTF_8)).isEqualTo("inside");
    assertThat(java.util.Arrays.copyOfRange(received, 6, 6 + large.length)).isEqualTo(large);
    assertThat(new String(received, 6 + large.length, 9, UTF_8)).isEqualTo("read-only");
  }

  @Test
  void handsOverABufferThatTheHolderMayWriteToUntilItReleasesIt() throws Exception {
    CompletableFuture<InboundFrame> first = new CompletableFuture<>();
    CompletableFuture<InboundFrame> second = new CompletableFuture<>();
    Transport transport = open(options());
    Listener listener = transport.listen(endpoint(), connection -> new Keeper(first, second));
    Connection client =
        open(options())
            .connect(listener.endpoint(), watched(new RecordingHandler()))
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);

    client.send(ledger.frame(content(1, 100)));
    client.send(ledger.frame(content(2, 100)));
    client.flush();

    InboundFrame frame = first.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    InboundFrame other = second.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    ByteBuffer buffer = frame.buffer();
    assertThat(buffer.position()).isZero();
    assertThat(buffer.remaining()).isEqualTo(100);
    assertThat(buffer.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
    assertThat(buffer.isReadOnly()).isFalse();
    assertThat(frame.buffer()).isSameAs(buffer);
    for (int i = 0; i < 100; i++) {
      buffer.put(i, (byte) 0x5a);
    }
    assertThat(bytesOf(other.buffer())).as("neighbour").isEqualTo(content(2, 100));
    frame.release();
    other.release();
    assertThatThrownBy(frame::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesAFrameThatIsLongerThanALengthPrefixCanSay() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();
    java.nio.file.Path file = java.nio.file.Files.createTempFile("contract", ".bin");
    try (java.nio.channels.FileChannel channel = java.nio.channels.FileChannel.open(file)) {
      OutboundFrame tooLong = ledger.frame(List.of(ledger.slice(channel, 0, 1L << 31)));

      assertThatThrownBy(() -> client.send(tooLong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2147483648");
      client.send(ledger.frame(content(3, 10)));
      client.flush();

      assertThat(accepted.awaitFrame()).isEqualTo(content(3, 10));
    } finally {
      java.nio.file.Files.delete(file);
    }
  }

  private static byte[] bytesOf(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  /** Sends every frame back. */
  static final class Echo extends RecordingHandler {

    private final FrameLedger ledger;

    Echo(FrameLedger ledger) {
      this.ledger = ledger;
    }

    @Override
    protected void received(Connection connection, byte[] content) {
      connection.send(ledger.frame(content));
      connection.flush();
    }
  }

  /** Keeps the first two frames for the test. */
  private record Keeper(
      CompletableFuture<InboundFrame> first, CompletableFuture<InboundFrame> second)
      implements ConnectionHandler {

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, InboundFrame frame) {
      if (!first.complete(frame)) {
        second.complete(frame);
      }
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {}
  }
}
