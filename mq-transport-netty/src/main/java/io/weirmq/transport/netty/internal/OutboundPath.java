package io.weirmq.transport.netty.internal;

import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of outbound frames from the sending threads to the event loop, and the account of what is
 * pending.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Each frame is released exactly once: by the writer, or here where it never got there.
 *   <li>The pending cost is what was sent and has neither left the process nor failed.
 *   <li>At most one drain is scheduled; a drain takes all that was sent before it began.
 * </ul>
 *
 * <p>Safe for use by several threads, except where a method names the event loop.
 *
 * <p>The queue is the JDK's linked one: a few bytes where a connection rests, which counts at ten
 * thousand connections, and any thread may empty it when the connection has ended.
 */
final class OutboundPath {

  private static final Logger LOG = LoggerFactory.getLogger(OutboundPath.class);

  private final NettyConnection connection;
  private final TransportOptions options;
  private final Queue<OutboundFrame> queue = new ConcurrentLinkedQueue<>();
  private final AtomicLong pendingCost = new AtomicLong();
  private final AtomicBoolean writable = new AtomicBoolean(true);
  private final AtomicBoolean drainScheduled = new AtomicBoolean();
  private volatile boolean sealed;
  private volatile boolean ended;

  OutboundPath(NettyConnection connection, TransportOptions options) {
    this.connection = connection;
    this.options = options;
  }

  /**
   * Queues a frame.
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
    if (sealed) {
      release(frame);
      return;
    }
    long pending = pendingCost.addAndGet(frame.pendingCostBytes());
    queue.add(frame);
    if (pending > options.outboundBytesMax()) {
      seal();
      connection.abort(
          new IOException(
              "peer %s is too slow: %d bytes pending, limit %d"
                  .formatted(connection.peer(), pending, options.outboundBytesMax())));
    } else if (pending > options.outboundHighWatermarkBytes()
        && writable.compareAndSet(true, false)) {
      connection.onLoop(connection::reportUnwritable);
    }
    if (ended) {
      // The connection ended between the check above and the queue; nobody else comes by now.
      releaseQueued();
    }
  }

  /** Schedules a drain, unless one is. */
  void flush() {
    if (!drainScheduled.get() && drainScheduled.compareAndSet(false, true)) {
      connection.onLoop(connection::drain);
    }
  }

  /** Hands all queued frames to the writer. On the event loop. */
  void drainTo(FrameWriter writer) {
    drainScheduled.set(false);
    OutboundFrame frame;
    while ((frame = queue.poll()) != null) {
      writer.write(frame);
    }
    writer.writeStaged();
  }

  boolean isWritable() {
    return writable.get() && !sealed;
  }

  /** What is pending now. */
  long pendingCost() {
    return pendingCost.get();
  }

  /** Takes no more frames; those queued still leave. */
  void seal() {
    sealed = true;
  }

  /** Releases what is queued, and from now on whatever is sent. */
  void end() {
    sealed = true;
    ended = true;
    releaseQueued();
  }

  /** Books written or failed frames off. On the event loop. */
  void settle(long cost) {
    long pending = pendingCost.addAndGet(-cost);
    if (pending < options.outboundLowWatermarkBytes()
        && !writable.get()
        && writable.compareAndSet(false, true)) {
      if (pendingCost.get() > options.outboundHighWatermarkBytes()
          && writable.compareAndSet(true, false)) {
        // A sender went over the mark in between and found it still reported.
        return;
      }
      connection.reportWritable();
    }
  }

  /** Ends the connection after a failed write. On the event loop. */
  void writeFailed(Throwable cause) {
    connection.abort(cause);
  }

  /** Releases one frame; what its owner throws is logged and goes no further. */
  void release(OutboundFrame frame) {
    try {
      frame.release();
    } catch (RuntimeException e) {
      LOG.warn("release of an outbound frame failed, peer={}", connection.peer(), e);
    }
  }

  private void releaseQueued() {
    OutboundFrame frame;
    while ((frame = queue.poll()) != null) {
      release(frame);
      pendingCost.addAndGet(-frame.pendingCostBytes());
    }
  }
}
