package io.weirmq.transport.shm.internal;

import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of outbound frames from the sending threads into the ring, and the account of what is
 * pending.
 *
 * <p>A small frame goes into the ring at once, by the thread that sends it. What finds no room, is
 * large, or lies in a file is queued, and so is all that comes after it; the loop writes it.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Each frame is released exactly once: when it is in the ring, or was dropped.
 *   <li>The ring is written by the holder of the lock while the queue is empty, and by the loop
 *       while it is not. Only the loop takes frames out of the queue, so that both never meet, and
 *       files are read without the lock.
 *   <li>The pending cost is that of the queued frames.
 * </ul>
 *
 * <p>Safe for use by several threads, except where a method names the loop.
 */
final class OutboundPath {

  private static final Logger LOG = LoggerFactory.getLogger(OutboundPath.class);

  /** Records of a large frame: so many fit into the ring at once. */
  private static final int PIECES_PER_RING = 8;

  private final ShmConnection connection;
  private final HandlerCalls handler;
  private final TransportOptions options;
  private final int ringBytes;
  private final Object lock = new Object();
  private final Queue<OutboundFrame> queue = new ArrayDeque<>();
  private final AtomicBoolean wakeScheduled = new AtomicBoolean();

  /** Written under the lock, both of them null once the connection has ended. */
  private volatile @Nullable RingWriter writer;

  private @Nullable FrameCursor cursor;
  private long pendingCost;
  private volatile boolean queued;
  private volatile boolean writable = true;
  private volatile boolean sealed;
  private volatile boolean waitsForRoom;
  private boolean endWanted;
  private boolean endWritten;

  OutboundPath(
      ShmConnection connection, HandlerCalls handler, SharedRings rings, TransportOptions options) {
    this.connection = connection;
    this.handler = handler;
    this.options = options;
    this.ringBytes = rings.writerBytes();
    this.writer = rings.writer();
    int pieceMax = Math.min(rings.writer().payloadMax(), ringBytes / PIECES_PER_RING);
    this.cursor = new FrameCursor(rings.writer(), pieceMax);
  }

  /**
   * Writes or queues a frame.
   *
   * @param frame transferred
   */
  void send(OutboundFrame frame) {
    if (frame.lengthBytes() > Integer.MAX_VALUE) {
      release(frame);
      throw new IllegalArgumentException(
          "frame of %d bytes is longer than a length prefix can say (%d)"
              .formatted(frame.lengthBytes(), Integer.MAX_VALUE));
    }
    Throwable failure = null;
    boolean done = true;
    synchronized (lock) {
      try {
        done = sealed || writeNow(frame);
        if (!done) {
          failure = enqueue(frame);
        }
      } catch (IOException | RuntimeException | InternalError e) {
        failure = e;
      }
    }
    if (done) {
      release(frame);
    }
    if (failure != null) {
      sealed = true;
      connection.abort(asCause(failure));
    }
  }

  /** Names what a mapping that is shorter than it was does to whoever touches it. */
  private static Throwable asCause(Throwable failure) {
    return failure instanceof InternalError
        ? new IOException(
            "shared memory can't be accessed: the peer has cut the file of the shared memory",
            failure)
        : failure;
  }

  private boolean writeNow(OutboundFrame frame) throws IOException {
    FrameCursor into = cursor;
    return into != null
        && queue.isEmpty()
        && into.isSmall(frame)
        && into.write(frame, Long.MAX_VALUE) >= 0;
  }

  private @Nullable IOException enqueue(OutboundFrame frame) {
    queue.add(frame);
    queued = true;
    pendingCost += frame.pendingCostBytes();
    if (pendingCost > options.outboundBytesMax()) {
      return new IOException(
          "peer %s is too slow: %d bytes pending, limit %d"
              .formatted(connection.peer(), pendingCost, options.outboundBytesMax()));
    }
    if (pendingCost > options.outboundHighWatermarkBytes() && writable) {
      writable = false;
      connection.onLoop(handler::reportUnwritable);
    }
    return null;
  }

  /** Rings where the peer sleeps, and has the loop write what is queued. */
  void flush() {
    RingWriter ring = writer;
    if (ring == null) {
      return;
    }
    try {
      if (ring.takeReaderSleeps()) {
        connection.ring();
      }
    } catch (InternalError e) {
      connection.abort(asCause(e));
      return;
    }
    // Where the loop waits for room, the peer rings when there is some.
    if (queued && !waitsForRoom && wakeScheduled.compareAndSet(false, true)) {
      connection.onLoop(connection::wake);
    }
  }

  /**
   * Writes queued frames as far as there is room. On the loop.
   *
   * @return the amount of work done
   */
  int drain() throws IOException {
    if (wakeScheduled.get()) {
      wakeScheduled.set(false);
    }
    if (!queued && !endWanted) {
      return 0;
    }
    RingWriter ring = writer;
    FrameCursor into = cursor;
    if (ring == null || into == null) {
      return 0;
    }
    long budget = ringBytes;
    OutboundFrame frame;
    while (budget > 0 && (frame = head()) != null) {
      long written = into.write(frame, budget);
      budget -= written < 0 ? ~written : written;
      if (written < 0) {
        break;
      }
      settle(frame);
    }
    if (endWanted && !endWritten && !queued && ring.claim(0) != RingWriter.NO_ROOM) {
      ring.commit(RecordKind.END);
      endWritten = true;
      budget--;
    }
    int work = (int) Math.min(Integer.MAX_VALUE, ringBytes - budget);
    if (work > 0 && ring.takeReaderSleeps()) {
      connection.ring();
    }
    return work;
  }

  private @Nullable OutboundFrame head() {
    synchronized (lock) {
      return queue.peek();
    }
  }

  /** Books the first frame of the queue off. */
  private void settle(OutboundFrame frame) {
    boolean writableAgain = false;
    synchronized (lock) {
      queue.remove();
      queued = !queue.isEmpty();
      pendingCost -= frame.pendingCostBytes();
      if (!writable && pendingCost < options.outboundLowWatermarkBytes()) {
        writable = true;
        writableAgain = true;
      }
    }
    release(frame);
    if (writableAgain) {
      handler.reportWritable();
    }
  }

  boolean isWritable() {
    return writable && !sealed;
  }

  /** What is pending now. */
  long pendingCost() {
    synchronized (lock) {
      return pendingCost;
    }
  }

  /** Bytes written so far, as a sign of life. */
  long position() {
    synchronized (lock) {
      RingWriter ring = writer;
      return ring == null ? 0 : ring.position();
    }
  }

  /** Takes no more frames; those queued still leave. */
  void seal() {
    sealed = true;
  }

  /** Has the end written behind all frames. On the loop, after {@link #seal}. */
  void finish() {
    synchronized (lock) {
      // A sender that was past the check for the seal has its frame in the ring or queue by now.
      endWanted = true;
    }
  }

  /** Whether everything has left, the end as well. On the loop. */
  boolean isFinished() {
    return endWritten;
  }

  /** Asks to be woken for room; false where there is some. On the loop. */
  boolean rest() throws IOException {
    synchronized (lock) {
      RingWriter ring = writer;
      FrameCursor from = cursor;
      if (ring == null || from == null || (!queued && !endWanted)) {
        return true;
      }
      OutboundFrame head = queue.peek();
      waitsForRoom = ring.waitForRoom(head == null ? 0 : from.lengthToWaitFor(head));
      if (waitsForRoom && ring.takeReaderSleeps()) {
        // The ring may be full of frames that nobody has flushed; only its reader makes room.
        connection.ring();
      }
      return waitsForRoom;
    }
  }

  /** Takes the wish to be woken back. On the loop. */
  void awake() {
    waitsForRoom = false;
  }

  /** Releases what is queued, and from now on whatever is sent. On the loop. */
  void end() {
    Queue<OutboundFrame> dropped;
    synchronized (lock) {
      sealed = true;
      writer = null;
      cursor = null;
      dropped = new ArrayDeque<>(queue);
      queue.clear();
      queued = false;
      pendingCost = 0;
    }
    dropped.forEach(this::release);
  }

  /** Releases one frame; what its owner throws is logged and goes no further. */
  private void release(OutboundFrame frame) {
    try {
      frame.release();
    } catch (RuntimeException e) {
      LOG.warn("release of an outbound frame failed, peer={}", connection.peer(), e);
    }
  }
}
