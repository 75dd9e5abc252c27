package io.weirmq.transport.shm.internal;

import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of outbound frames from the sending threads into the ring.
 *
 * <p>A small frame goes into the ring at once, by the thread that sends it. One that is offered
 * alone is published at once, all others with their batch, by {@link #flush} or before it where
 * much is held. What finds no room, is large, or lies in a file is queued, and so is all that comes
 * after it; the loop writes it.
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
 * <p>The lock is a monitor for a reason: the JVM may report a fault of memory between any two
 * lines, and gives a monitor back in any case.
 *
 * <p>Safe for use by several threads, except where a method names the loop.
 */
final class OutboundPath {

  private static final Logger LOG = LoggerFactory.getLogger(OutboundPath.class);

  /** Records of a large frame: so many fit into the ring at once. */
  private static final int PIECES_PER_RING = 8;

  /** Where so much is held it is published before the flush, for the peer to begin with. */
  private static final int HELD_BYTES_MAX = 16 * 1024;

  private final ShmConnection connection;
  private final HandlerCalls handler;
  private final WaitCounters counters;
  private final int ringBytes;
  private final int smallBytesMax;
  private final int heldBytesMax;
  private final Object lock = new Object();
  private final PendingFrames pending;
  private final AtomicBoolean wakeScheduled = new AtomicBoolean();

  /** Written under the lock, both of them null once the connection has ended. */
  private volatile @Nullable RingWriter writer;

  private @Nullable FrameCursor cursor;
  private volatile boolean sealed;
  private volatile boolean waitsForRoom;
  private boolean endWanted;
  private boolean endWritten;

  OutboundPath(
      ShmConnection connection,
      HandlerCalls handler,
      SharedRings rings,
      TransportOptions options,
      WaitCounters counters) {
    this.connection = connection;
    this.handler = handler;
    this.counters = counters;
    this.ringBytes = rings.writerBytes();
    this.heldBytesMax = Math.min(HELD_BYTES_MAX, ringBytes / PIECES_PER_RING);
    this.pending = new PendingFrames(options);
    this.writer = rings.writer();
    this.smallBytesMax = Math.min(rings.writer().payloadMax(), ringBytes / PIECES_PER_RING);
    this.cursor = new FrameCursor(rings.writer(), smallBytesMax);
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
      failed(failure);
    }
  }

  private boolean writeNow(OutboundFrame frame) throws IOException {
    FrameCursor into = cursor;
    if (into == null || !pending.isEmpty() || !into.isSmall(frame)) {
      return false;
    }
    into.write(frame, Long.MAX_VALUE);
    if (!into.isDone()) {
      return false;
    }
    into.publishWhereMuchIsHeld(heldBytesMax);
    return true;
  }

  private @Nullable IOException enqueue(OutboundFrame frame) {
    boolean passedWatermark = pending.add(frame);
    if (pending.isTooMuch()) {
      return new IOException(
          "peer %s is too slow: %d bytes pending, limit %d"
              .formatted(connection.peer(), pending.cost(), pending.costMax()));
    }
    if (passedWatermark) {
      connection.onLoop(handler::reportUnwritable);
    }
    return null;
  }

  /**
   * Writes a copy of a frame, unless it would have to wait.
   *
   * @return whether it was written or, where it is large, queued
   */
  boolean offer(ByteBuffer content) {
    Throwable failure = null;
    synchronized (lock) {
      try {
        if (offerNow(content, 0)) {
          return true;
        }
      } catch (IOException | RuntimeException | InternalError e) {
        failure = e;
      }
    }
    return offerQueued(content, failure);
  }

  /**
   * Writes copies of several frames, with the lock taken once.
   *
   * @return how many, from the first on
   */
  int offer(ByteBuffer[] contents, int from, int to) {
    Objects.checkFromToIndex(from, to, contents.length);
    int index = from;
    do {
      Throwable failure = null;
      synchronized (lock) {
        try {
          while (index < to && offerNow(contents[index], heldBytesMax)) {
            index++;
          }
        } catch (IOException | RuntimeException | InternalError e) {
          failure = e;
        }
      }
      if (index < to && !offerQueued(contents[index], failure)) {
        return index - from;
      }
      index++;
    } while (index < to);
    return to - from;
  }

  /**
   * Writes a frame where there is room. One that is offered alone is published at once: until the
   * flush, a reader that looks all the time would have taken the line of memory away, which costs
   * two more transfers between the cores.
   *
   * @param heldMax bytes that may wait for the flush
   */
  private boolean offerNow(ByteBuffer content, int heldMax) throws RingViolationException {
    FrameCursor into = cursor;
    if (into == null
        || sealed
        || !pending.isEmpty()
        || content.remaining() > smallBytesMax
        || !into.write(content)) {
      return false;
    }
    into.publishWhereMuchIsHeld(heldMax);
    return true;
  }

  /** Queues what is too large to be written at once, and flushes where it would have to wait. */
  private boolean offerQueued(ByteBuffer content, @Nullable Throwable failure) {
    if (failure != null) {
      failed(failure);
      return false;
    }
    if (content.remaining() > smallBytesMax && isWritable()) {
      ByteBuffer copy = ByteBuffer.allocate(content.remaining());
      send(OutboundFrame.of(copy.put(content.duplicate()).flip()));
      return true;
    }
    flush();
    return false;
  }

  private void failed(Throwable failure) {
    sealed = true;
    if (failure instanceof InternalError) {
      // What a mapping that is shorter than it was does to whoever touches it.
      connection.framingError(
          new IOException(
              "shared memory can't be accessed: the peer has cut the file of the shared memory",
              failure));
    } else {
      connection.abort(failure);
    }
  }

  /** Publishes what is held, rings where the peer sleeps, has the loop write what is queued. */
  void flush() {
    RingWriter ring = writer;
    if (ring == null) {
      return;
    }
    try {
      if (ring.isHolding()) { // else what this thread has written is published, see there
        synchronized (lock) {
          if (pending.isEmpty()) { // else the loop writes the ring, and publishes
            ring.publish();
          }
        }
      }
      if (ring.takeReaderSleeps()) {
        connection.ring();
      }
    } catch (InternalError e) {
      failed(e);
      return;
    }
    // Where the loop waits for room, the peer rings when there is some.
    if (!pending.isEmpty() && !waitsForRoom && wakeScheduled.compareAndSet(false, true)) {
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
    if (pending.isEmpty() && !endWanted) {
      return 0;
    }
    RingWriter ring = writer;
    FrameCursor into = cursor;
    if (ring == null || into == null) {
      return 0;
    }
    long budget = ringBytes;
    OutboundFrame frame;
    while (budget > 0 && (frame = first()) != null) {
      budget -= into.write(frame, budget);
      // Before it is booked off: from then on the ring may be written by senders.
      ring.publish();
      if (!into.isDone()) {
        break;
      }
      settle(frame);
    }
    synchronized (lock) { // as the queue is empty, senders may be publishing
      if (endWanted && !endWritten && pending.isEmpty() && ring.claim(0) != RingWriter.NO_ROOM) {
        ring.commit(RecordKind.END);
        endWritten = true;
        budget--;
      }
    }
    int work = (int) Math.min(Integer.MAX_VALUE, ringBytes - budget);
    if (work > 0 && ring.takeReaderSleeps()) {
      connection.ring();
    }
    return work;
  }

  private @Nullable OutboundFrame first() {
    synchronized (lock) {
      return pending.first();
    }
  }

  private void settle(OutboundFrame frame) {
    boolean writableAgain;
    synchronized (lock) {
      writableAgain = pending.removeFirst();
    }
    release(frame);
    if (writableAgain) {
      handler.reportWritable();
    }
  }

  boolean isWritable() {
    return pending.isWritable() && !sealed;
  }

  /** What is pending now. */
  long pendingCost() {
    synchronized (lock) {
      return pending.cost();
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
      if (ring == null || from == null || (pending.isEmpty() && !endWanted)) {
        return true;
      }
      OutboundFrame first = pending.first();
      // The ring may be full of frames that nobody has flushed; only its reader makes room.
      ring.publish();
      waitsForRoom = ring.waitForRoom(first == null ? 0 : from.lengthToWaitFor(first));
      if (waitsForRoom) {
        counters.ringIsFull();
        if (ring.takeReaderSleeps()) {
          connection.ring();
        }
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
      dropped = pending.drain();
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
