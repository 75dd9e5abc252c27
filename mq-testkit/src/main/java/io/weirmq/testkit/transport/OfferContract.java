package io.weirmq.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.BorrowingHandler;
import io.weirmq.transport.Connection;
import io.weirmq.transport.Listener;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Frames that are copied at both ends: offered by the sender, lent to the receiver. */
abstract class OfferContract extends ContractCase {

  private static final Duration WAIT = Duration.ofSeconds(RecordingHandler.WAIT_SECONDS);

  /** More frames of {@link #LENGTH} bytes than systems and rings take in for a peer. */
  private static final int OFFERS_MAX = 4_000_000;

  private static final int LENGTH = 1_000;

  /** Offers a frame until it is taken. */
  private static void offer(Connection connection, ByteBuffer content) {
    await().atMost(WAIT).pollInterval(Duration.ofMillis(1)).until(() -> connection.offer(content));
  }

  @Test
  void copiesAnOfferedFrameAndLeavesTheBufferAsItWas() throws Exception {
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    RecordingHandler accepted = server.awaitAccepted();
    int[] sizes = {0, 1, 7, 8, 100, 4_096, 70_000, 3_000_000};

    for (int size : sizes) {
      for (ByteBuffer memory :
          List.of(ByteBuffer.allocate(size + 5), ByteBuffer.allocateDirect(size + 5))) {
        byte[] content = content(size, size);
        memory.put(3, content).position(3).limit(3 + size);
        offer(client, memory);
        assertThat(memory.position()).as("size %d", size).isEqualTo(3);
        assertThat(memory.limit()).as("size %d", size).isEqualTo(3 + size);
        memory.put(3, new byte[size]); // it is ours again
        client.flush();
        assertThat(accepted.awaitFrame()).as("size %d", size).isEqualTo(content);
      }
    }
  }

  @Test
  void takesOfferedAndSentFramesInTheOrderOfTheCalls() throws Exception {
    long seed = 20_261_130;
    Random random = new Random(seed);
    Server server = serve(options());
    Connection client = connect(server, new RecordingHandler());
    List<byte[]> sent = new ArrayList<>();

    while (sent.size() < 3_000) {
      if (random.nextInt(10) == 0) {
        sent.add(content(sent.size(), random.nextInt(20) == 0 ? 300_000 : random.nextInt(500)));
        client.send(ledger.frame(sent.get(sent.size() - 1)));
      } else {
        ByteBuffer[] batch = new ByteBuffer[1 + random.nextInt(30)];
        for (int i = 0; i < batch.length; i++) {
          int size = random.nextInt(100) == 0 ? 200_000 : random.nextInt(300);
          batch[i] = ByteBuffer.wrap(content(sent.size() + i, size));
        }
        int from = random.nextInt(batch.length);
        int taken = client.offer(batch, from, batch.length);
        assertThat(taken).isBetween(0, batch.length - from);
        for (int i = from; i < from + taken; i++) {
          sent.add(batch[i].array());
        }
      }
      if (random.nextInt(5) == 0) {
        client.flush();
      }
    }
    client.flush();

    RecordingHandler accepted = server.awaitAccepted();
    for (int i = 0; i < sent.size(); i++) {
      assertThat(accepted.awaitFrame()).as("seed %d, frame %d", seed, i).isEqualTo(sent.get(i));
    }
  }

  @Test
  void refusesIndexesThatAreNotWithinTheArray() throws Exception {
    Connection client = connect(serve(options()), new RecordingHandler());

    assertThatThrownBy(() -> client.offer(new ByteBuffer[2], 1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(client.offer(new ByteBuffer[2], 1, 1)).isZero();
  }

  @Test
  void takesNoOfferThatWouldHaveToWaitForAPeerThatDoesNotRead() throws Exception {
    TransportOptions limited = options().withOutboundLimits(32 * 1024, 64 * 1024, 1 << 20);
    Server server = serve(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(open(limited), server, handler);
    RecordingHandler accepted = server.awaitAccepted();
    accepted.awaitOpen().pauseReading();

    int taken = 0;
    ByteBuffer content = ByteBuffer.allocate(LENGTH);
    while (taken < OFFERS_MAX && client.offer(content.putInt(0, taken))) {
      taken++;
      client.flush();
    }
    assertThat(taken).as("offers taken").isLessThan(OFFERS_MAX);
    client.send(OutboundFrame.of(ByteBuffer.allocate(LENGTH).putInt(0, taken)));
    client.flush();
    assertThat(handler.isClosed()).isFalse();
    accepted.awaitOpen().resumeReading();

    for (int i = 0; i <= taken; i++) {
      assertThat(ByteBuffer.wrap(accepted.awaitFrame()).getInt()).isEqualTo(i);
    }
    offer(client, content.putInt(0, taken + 1));
    client.flush();
    assertThat(ByteBuffer.wrap(accepted.awaitFrame()).getInt()).isEqualTo(taken + 1);
  }

  @Test
  void takesNoOfferAfterTheEnd() throws Exception {
    Server server = serve(options());
    RecordingHandler handler = new RecordingHandler();
    Connection client = connect(server, handler);
    client.offer(ByteBuffer.wrap(content(1, 10)));
    client.close();

    assertThat(client.offer(ByteBuffer.allocate(1))).isFalse();
    assertThat(client.offer(new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1)).isZero();
    RecordingHandler accepted = server.awaitAccepted();
    assertThat(accepted.awaitFrame()).as("offered before the close").isEqualTo(content(1, 10));
    assertThat(accepted.awaitClosed()).isNull();
    assertThat(accepted.frameCount()).isEqualTo(1);
  }

  @Test
  void lendsFramesOfAllSizesToAHandlerThatBorrows() throws Exception {
    Borrower borrower = new Borrower();
    Listener listener = open(options()).listen(endpoint(), connection -> borrower);
    Connection client =
        open(options())
            .connect(listener.endpoint(), watched(new RecordingHandler()))
            .toCompletableFuture()
            .get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS);
    int[] sizes = {0, 1, 100, 4_095, 4_096, 4_097, 100_000, 2_000_000, 5};

    for (int size : sizes) {
      client.send(ledger.frame(content(size, size)));
    }
    client.flush();

    for (int size : sizes) {
      assertThat(borrower.contents.poll(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS))
          .as("size %d", size)
          .isEqualTo(content(size, size));
    }
    client.send(ledger.frame(new byte[] {Borrower.FAIL}));
    client.flush();
    assertThat(borrower.closed.get(RecordingHandler.WAIT_SECONDS, TimeUnit.SECONDS))
        .as("cause of the end, after an exception out of the callback")
        .hasMessage("fails on purpose");
  }

  /** Copies what it borrows, and overwrites it. */
  private static final class Borrower implements BorrowingHandler {

    static final byte FAIL = 66;

    final BlockingQueue<byte[]> contents = new LinkedBlockingQueue<>();
    final CompletableFuture<Throwable> closed = new CompletableFuture<>();

    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onContent(Connection connection, ByteBuffer content) {
      if (content.remaining() == 1 && content.get(content.position()) == FAIL) {
        throw new IllegalStateException("fails on purpose");
      }
      if (content.order() != ByteOrder.BIG_ENDIAN) {
        throw new IllegalStateException("content is " + content.order());
      }
      byte[] copy = new byte[content.remaining()];
      int position = content.position();
      content.get(copy);
      content.put(position, new byte[copy.length]).order(ByteOrder.LITTLE_ENDIAN);
      contents.add(copy);
    }

    @Override
    public void onClosed(Connection connection, @Nullable Throwable cause) {
      closed.complete(cause == null ? new IllegalStateException("no cause") : cause);
    }
  }
}
