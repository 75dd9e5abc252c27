package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.weirmq.transport.InboundFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A frame that lies whole in a read buffer and holds one reference to it. */
final class NettyInboundFrame implements InboundFrame {

  private final ByteBuf owner;
  private final ByteBuffer view;
  private final AtomicBoolean released = new AtomicBoolean();

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
    if (!released.compareAndSet(false, true)) {
      throw new IllegalStateException("inbound frame of " + view.limit() + " bytes released twice");
    }
    owner.release();
  }
}
