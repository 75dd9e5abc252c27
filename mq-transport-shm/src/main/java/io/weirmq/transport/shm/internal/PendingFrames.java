package io.weirmq.transport.shm.internal;

import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.TransportOptions;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The frames that wait for room in the ring, and the account of what they cost.
 *
 * <p>Guarded by the lock of the {@link OutboundPath}, except for {@link #isEmpty()} and {@link
 * #isWritable()}, which any thread may ask.
 */
final class PendingFrames {

  private final TransportOptions options;
  private final Queue<OutboundFrame> frames = new ArrayDeque<>();
  private long cost;
  private volatile boolean empty = true;
  private volatile boolean writable = true;

  PendingFrames(TransportOptions options) {
    this.options = options;
  }

  boolean isEmpty() {
    return empty;
  }

  /** Whether the cost is below the watermark, the low one after it was above the high one. */
  boolean isWritable() {
    return writable;
  }

  long cost() {
    return cost;
  }

  long costMax() {
    return options.outboundBytesMax();
  }

  /**
   * Adds a frame at the end.
   *
   * @return whether this has passed the high watermark
   */
  boolean add(OutboundFrame frame) {
    frames.add(frame);
    empty = false;
    cost += frame.pendingCostBytes();
    if (writable && cost > options.outboundHighWatermarkBytes()) {
      writable = false;
      return true;
    }
    return false;
  }

  /** Whether more is pending than may be. */
  boolean isTooMuch() {
    return cost > costMax();
  }

  /** The first frame, or null. */
  @Nullable OutboundFrame first() {
    return frames.peek();
  }

  /**
   * Books the first frame off.
   *
   * @return whether this has passed the low watermark
   */
  boolean removeFirst() {
    OutboundFrame frame = frames.remove();
    empty = frames.isEmpty();
    cost -= frame.pendingCostBytes();
    if (!writable && cost < options.outboundLowWatermarkBytes()) {
      writable = true;
      return true;
    }
    return false;
  }

  /** Takes all frames out. */
  Queue<OutboundFrame> drain() {
    Queue<OutboundFrame> all = new ArrayDeque<>(frames);
    frames.clear();
    empty = true;
    cost = 0;
    return all;
  }
}
