package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory for one large frame that is not there yet.
 *
 * @param memory all of it, from 0 to the capacity; position and limit are not to be moved
 * @param lender whose it is; null where it is nobody else's
 */
record FrameRoom(ByteBuffer memory, @Nullable FrameLender lender) {

  /** The number of bytes that it holds. */
  int capacity() {
    return memory.capacity();
  }

  /** Makes the frame of the first bytes, to which the memory belongs from now on. */
  ShmInboundFrame frame(int length) {
    return new ShmInboundFrame(memory.slice(0, length), lender);
  }

  /** Gives the memory back, of which no frame was made. */
  void giveBack() {
    if (lender != null) {
      lender.giveBack();
    }
  }
}
