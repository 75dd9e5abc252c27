package io.weirmq.transport.shm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.testkit.transport.RecordingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.TestFolder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SM-10: frames that a ring of 64 KiB can't carry at once. */
final class LargeFrameTest {

  /** Largest piece in a ring of 64 KiB. */
  private static final int PIECE = 64 * 1024 / 8;

  private final Path folder = TestFolder.fresh();

  @ParameterizedTest
  @ValueSource(
      ints = {
        PIECE - 9,
        PIECE - 8,
        PIECE - 5,
        PIECE - 4,
        PIECE - 1,
        PIECE,
        PIECE + 1,
        PIECE + 8,
        2 * PIECE - 5,
        2 * PIECE - 4,
        2 * PIECE - 3,
        2 * PIECE,
        65_535,
        65_536,
        65_537,
        262_143,
        262_144,
        262_145,
        16 * 1024 * 1024
      })
  void sm10_goesThroughInPieces(int length) throws Exception {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    CompletableFuture<RecordingHandler> accepted = new CompletableFuture<>();
    try (ShmTransport transport = Transports.open();
        Listener listener =
            transport.listen(
                TestFolder.endpoint(folder),
                made -> {
                  RecordingHandler handler = new RecordingHandler();
                  accepted.complete(handler);
                  return handler;
                })) {
      Connection client = connect(transport, listener, new RecordingHandler());
      client.send(OutboundFrame.of(ByteBuffer.wrap(content)));
      client.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {7})));
      client.flush();

      RecordingHandler handler = accepted.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
      assertThat(handler.awaitFrame()).isEqualTo(content);
      assertThat(handler.awaitFrame()).as("the next one").containsExactly(7);
    }
  }

  /**
   * The receiving side refuses, by its own limit and at the first piece, which says how long the
   * frame is: it takes no memory for it and cuts the connection, for what follows in the ring can't
   * be told from frames any more. The sending side does not know the receiver's limit; it hears of
   * the end, and its program may connect again.
   */
  @Test
  void sm10_isRefusedAboveTheLimitBeforeMemoryIsTakenAndANewConnectionWorks() throws Exception {
    int limit = 1_000_000;
    TransportOptions options = TransportOptions.defaults().withFrameBytesMax(limit);
    BlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
    try (ShmTransport transport = Transports.open(options);
        Listener listener =
            transport.listen(
                TestFolder.endpoint(folder),
                made -> {
                  RecordingHandler handler = new RecordingHandler();
                  accepted.add(handler);
                  return handler;
                })) {
      RecordingHandler sender = new RecordingHandler();
      Connection client = connect(transport, listener, sender);
      client.send(OutboundFrame.of(ByteBuffer.allocate(limit - 1)));
      client.send(OutboundFrame.of(ByteBuffer.allocate(limit)));
      client.send(OutboundFrame.of(ByteBuffer.allocate(limit + 1)));
      client.send(OutboundFrame.of(ByteBuffer.allocate(1)));
      client.flush();

      RecordingHandler handler = accepted.take();
      assertThat(handler.awaitFrame()).hasSize(limit - 1);
      assertThat(handler.awaitFrame()).hasSize(limit);
      assertThat(handler.awaitClosed())
          .isNotNull()
          .hasMessage("frame length 1000001 is outside 0..1000000");
      assertThat(handler.frameCount()).isEqualTo(2);
      assertThat(sender.awaitClosed()).isNotNull();
      assertThat(listener.counters().framingErrors()).isEqualTo(1);

      Connection again = connect(transport, listener, new RecordingHandler());
      again.send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {7})));
      again.flush();
      assertThat(accepted.take().awaitFrame()).as("the next normal message").containsExactly(7);
    }
  }

  private static Connection connect(
      ShmTransport transport, Listener listener, RecordingHandler handler) throws Exception {
    return transport
        .connect(listener.endpoint(), handler)
        .toCompletableFuture()
        .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
