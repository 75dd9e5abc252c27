package io.weirmq.testkit.transport;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.TransportOptions;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One direction of an in-memory connection: the frames that one end has sent and the other has not
 * received.
 *
 * <p>A frame is pending until the other end takes it, so that a paused receiver holds its sender
 * back at once, without the slack of socket buffers. A frame that is never flushed never leaves,
 * which shows a missing flush. State is guarded by the network; deliveries run in its tasks.
 */
final class InMemoryLane {

  private record InTransit(@Nullable OutboundFrame frame, long arrivalNanos) {}

  private final InMemoryConnection sender;
  private final InMemoryNetwork network;
  private final TransportOptions options;
  private final Deque<OutboundFrame> unflushed = new ArrayDeque<>();
  private final Deque<InTransit> transit = new ArrayDeque<>();
  private long pendingCost;
  private long lastArrivalNanos = Long.MIN_VALUE;
  private boolean writable = true;
  private boolean sealed;
  private boolean ended;
  private boolean deliveryScheduled;

  InMemoryLane(InMemoryConnection sender, InMemoryNetwork network, TransportOptions options) {
    this.sender = sender;
    this.network = network;
    this.options = options;
  }

  /** Takes a frame over. From any thread. */
  void send(OutboundFrame frame) {
    if (frame.lengthBytes() > Integer.MAX_VALUE) {
      frame.release();
      throw new IllegalArgumentException(
          "frame of %d bytes is longer than a length prefix can say (%d)"
              .formatted(frame.lengthBytes(), Integer.MAX_VALUE));
    }
    long pending;
    boolean becameUnwritable;
    synchronized (network) {
      if (sealed) {
        pending = -1;
        becameUnwritable = false;
      } else {
        unflushed.add(frame);
        pendingCost += frame.pendingCostBytes();
        pending = pendingCost;
        becameUnwritable = writable && pending > options.outboundHighWatermarkBytes();
        writable &= !becameUnwritable;
      }
    }
    if (pending < 0) {
      frame.release();
    } else if (pending > options.outboundBytesMax()) {
      sender.cut(
          new IOException(
              "peer %s is too slow: %d bytes pending, limit %d"
                  .formatted(sender.peer(), pending, options.outboundBytesMax())));
    } else if (becameUnwritable) {
      network.execute(sender::reportUnwritable);
    }
  }

  /** Puts what was sent on its way. From any thread. */
  void flush() {
    synchronized (network) {
      OutboundFrame frame;
      while ((frame = unflushed.poll()) != null) {
        transit.add(new InTransit(frame, arrival()));
      }
    }
    scheduleDelivery();
  }

  /** Puts what was sent on its way, and behind it the news that there will be no more. */
  void finish() {
    synchronized (network) {
      flush();
      transit.add(new InTransit(null, arrival()));
    }
    scheduleDelivery();
  }

  boolean isWritable() {
    synchronized (network) {
      return writable && !sealed;
    }
  }

  /** Takes no more frames. */
  void seal() {
    synchronized (network) {
      sealed = true;
    }
  }

  /** Releases all that has not arrived. */
  void end() {
    Deque<OutboundFrame> dropped = new ArrayDeque<>();
    synchronized (network) {
      sealed = true;
      ended = true;
      for (InTransit each : transit) {
        if (each.frame() != null) {
          dropped.add(each.frame());
        }
      }
      dropped.addAll(unflushed);
      transit.clear();
      unflushed.clear();
    }
    dropped.forEach(OutboundFrame::release);
  }

  /** Schedules the next delivery, unless one is. From any thread. */
  void scheduleDelivery() {
    Duration wait;
    synchronized (network) {
      InTransit next = transit.peek();
      if (deliveryScheduled || next == null) {
        return;
      }
      deliveryScheduled = true;
      wait = Duration.ofNanos(Math.max(0, next.arrivalNanos() - network.nanoTime()));
    }
    network.schedule(wait, this::deliverOne);
  }

  /** Delivers all that the other end takes, without delays. In a task of the network. */
  void deliverAllNow() {
    InTransit next;
    while ((next = pollDeliverable(Long.MAX_VALUE)) != null) {
      deliver(next);
    }
  }

  private void deliverOne() {
    InTransit next;
    synchronized (network) {
      deliveryScheduled = false;
      next = pollDeliverable(network.nanoTime());
    }
    if (next != null) {
      deliver(next);
      scheduleDelivery();
    }
  }

  private @Nullable InTransit pollDeliverable(long nanos) {
    synchronized (network) {
      InMemoryConnection receiver = sender.remote();
      InTransit next = transit.peek();
      if (next == null || network.isPartitioned(sender.node(), receiver.node())) {
        return null;
      }
      if (receiver.isPaused() && receiver.isOpen()) {
        return null;
      }
      if (next.arrivalNanos() > nanos) {
        scheduleDelivery();
        return null;
      }
      return transit.poll();
    }
  }

  private void deliver(InTransit arrived) {
    InMemoryConnection receiver = sender.remote();
    OutboundFrame frame = arrived.frame();
    if (frame == null) {
      receiver.peerFinished();
      return;
    }
    byte[] content = null;
    try {
      content = contentOf(frame);
    } catch (IOException e) {
      sender.cut(e);
    } finally {
      frame.release();
    }
    settle(frame.pendingCostBytes());
    sender.traffic();
    if (content != null) {
      receiver.deliver(content);
    }
  }

  private void settle(long cost) {
    boolean becameWritable;
    synchronized (network) {
      pendingCost -= cost;
      becameWritable = !writable && !ended && pendingCost < options.outboundLowWatermarkBytes();
      writable |= becameWritable;
    }
    if (becameWritable) {
      sender.reportWritable();
    }
  }

  /** Arrivals keep the order of the flushes, also where the delay has shrunk meanwhile. */
  private long arrival() {
    Duration delay = network.delayBetween(sender.node(), sender.remoteNode());
    lastArrivalNanos = Math.max(lastArrivalNanos, network.nanoTime() + delay.toNanos());
    return lastArrivalNanos;
  }

  private static byte[] contentOf(OutboundFrame frame) throws IOException {
    ByteBuffer content = ByteBuffer.allocate((int) frame.lengthBytes());
    for (OutboundPart part : frame.parts()) {
      if (part instanceof FileSlice slice) {
        read(slice, content);
      } else {
        content.put(((OutboundPart.Bytes) part).buffer());
      }
    }
    return content.array();
  }

  private static void read(FileSlice slice, ByteBuffer target) throws IOException {
    int end = target.position() + (int) slice.lengthBytes();
    ByteBuffer window = target.duplicate().limit(end);
    long position = slice.position();
    while (window.hasRemaining()) {
      int count = slice.channel().read(window, position);
      if (count < 0) {
        throw new EOFException(
            "file ends at %d inside a slice at position %d with length %d"
                .formatted(position, slice.position(), slice.lengthBytes()));
      }
      position += count;
    }
    target.position(end);
  }
}
