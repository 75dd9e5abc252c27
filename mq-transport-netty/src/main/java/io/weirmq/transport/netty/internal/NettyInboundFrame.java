package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** A frame that lies whole in a read buffer and holds one reference to it. */
final class NettyInboundFrame implements InboundFrame {

  private static final AtomicIntegerFieldUpdater<NettyInboundFrame> RELEASED =
      AtomicIntegerFieldUpdater.newUpdater(NettyInboundFrame.class, "released");

  private final ByteBuf owner;
  private final ByteBuffer view;

  /** 1 once released; written through {@link #RELEASED}, which saves an object per frame. */
  @SuppressWarnings("UnusedVariable")
  private volatile int released;

  /**
   * Takes over one reference.
   *
   * @param owner the read buffer; this frame releases one reference of it
   * @param view the frame's bytes in the read buffer
   */
  NettyInboundFrame(ByteBuf owner, ByteBuffer view) {
    this.owner = owner;
    this.view = view;
  }

  @Override
  public ByteBuffer buffer() {
    return view;
  }

  @Override
  public void release() {
    if (!RELEASED.compareAndSet(this, 0, 1)) {
      throw new IllegalStateException("inbound frame of " + view.limit() + " bytes released twice");
    }
    owner.release();
  }
}
