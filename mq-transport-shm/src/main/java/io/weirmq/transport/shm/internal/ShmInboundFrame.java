package io.weirmq.transport.shm.internal;

import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A frame that was copied out of a ring. */
final class ShmInboundFrame implements InboundFrame {

  private static final AtomicIntegerFieldUpdater<ShmInboundFrame> RELEASED =
      AtomicIntegerFieldUpdater.newUpdater(ShmInboundFrame.class, "released");

  private final ByteBuffer content;
  private final @Nullable FrameLender lender;

  /** 1 once released; written through {@link #RELEASED}, which saves an object per frame. */
  @SuppressWarnings("UnusedVariable")
  private volatile int released;

  /**
   * Makes a frame.
   *
   * @param content the frame's bytes, and nobody else's
   * @param lender whose memory it is, or null where it is an array of the frame's own
   */
  ShmInboundFrame(ByteBuffer content, @Nullable FrameLender lender) {
    this.content = content;
    this.lender = lender;
  }

  @Override
  public ByteBuffer buffer() {
    return content;
  }

  /** Copies unless the frame has an array of its own already. */
  @Override
  public ByteBuffer detach() {
    if (lender != null) {
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
    if (lender != null) {
      lender.giveBack();
    }
  }
}
