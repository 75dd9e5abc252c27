package io.weirmq.bench.peers.chronicle;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.Idler;
import io.weirmq.bench.compare.worker.Link;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Messages through a queue in files: one appends, the other tails and spins. Settings: {@code
 * queueFolder}. One way only.
 */
public final class ChronicleLink implements Link {

  private static final int MESSAGES_MAX = 64;

  private final ChronicleQueue queue;
  private final Receiver receiver;
  private final @Nullable ExcerptAppender appender;
  private final @Nullable ExcerptTailer tailer;
  private final Bytes<ByteBuffer> outgoing = Bytes.elasticByteBuffer();
  private final Bytes<ByteBuffer> incoming = Bytes.elasticByteBuffer();

  /** Made by name. */
  public ChronicleLink(Settings settings, Side side, Receiver receiver) {
    this.receiver = receiver;
    queue = SingleChronicleQueueBuilder.binary(settings.text("queueFolder")).build();
    // Queue, appender and tailer are used by the worker thread alone, as they demand.
    appender = side == Side.SENDER ? queue.createAppender() : null;
    tailer = side == Side.RECEIVER ? queue.createTailer() : null;
  }

  @Override
  public boolean offer(ByteBuffer message) {
    ExcerptAppender to = appender;
    if (to == null) {
      throw new IllegalStateException("the receiving end does not send");
    }
    outgoing.clear();
    outgoing.writeSome(message.duplicate().clear());
    to.writeBytes(outgoing);
    return true;
  }

  @Override
  public void flush() {
    // Each message is visible at once.
  }

  @Override
  public boolean isPolled() {
    return true;
  }

  @Override
  public int poll(boolean mayBlock) {
    ExcerptTailer from = tailer;
    if (from == null) {
      return 0;
    }
    int count = 0;
    while (count < MESSAGES_MAX) {
      incoming.clear();
      if (!from.readBytes(incoming)) {
        break;
      }
      ByteBuffer view = incoming.underlyingObject();
      if (view == null) {
        throw new IllegalStateException("bytes without a buffer");
      }
      // It comes in the machine's order; Chronicle itself reads by addresses.
      view.order(ByteOrder.BIG_ENDIAN);
      receiver.onMessage(
          view,
          Math.toIntExact(incoming.readPosition()),
          Math.toIntExact(incoming.readRemaining()));
      count++;
    }
    return count;
  }

  @Override
  public void idle(int workCount) {
    Idler.SPIN.idle(workCount);
  }

  /** The queue is left open: it checks the closing thread, and the end of the process closes it. */
  @Override
  public void close() {
    // See above.
  }
}
