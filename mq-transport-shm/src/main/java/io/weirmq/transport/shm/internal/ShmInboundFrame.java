package io.weirmq.transport.shm.internal;

import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A frame that was copied out of a ring, onto the heap. */
final class ShmInboundFrame implements InboundFrame {

  private static final AtomicIntegerFieldUpdater<ShmInboundFrame> RELEASED =
      AtomicIntegerFieldUpdater.newUpdater(ShmInboundFrame.class, "released");

  private final ByteBuffer content;
  private final FrameMemory.@Nullable Slab slab;

  /** 1 once released; written through {@link #RELEASED}, which saves an object per frame. */
  @SuppressWarnings("UnusedVariable")
  private volatile int released;

  /**
   * Makes a frame.
   *
   * @param content the frame's bytes, and nobody else's
   * @param slab of which they are a part, or null where they are an array of their own
   */
  ShmInboundFrame(ByteBuffer content, FrameMemory.@Nullable Slab slab) {
    this.content = content;
    this.slab = slab;
  }

  @Override
  public ByteBuffer buffer() {
    return content;
  }

  /** Copies small frames only: the others have an array of their own already. */
  @Override
  public ByteBuffer detach() {
    if (slab != null) {
      return InboundFrame.super.detach();
    }
    release();
    return content;
  }

  @Override
  public void release() {
    if (!RELEASED.compareAndSet(this, 0, 1)) {
      throw new IllegalStateException(
          "inbound frame of " + content.capacity() + " bytes released twice");
    }
    if (slab != null) {
      slab.giveBack();
    }
  }
}
