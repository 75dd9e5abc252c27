package io.weirmq.transport;

import java.nio.ByteBuffer;

/**
 * A received frame without its length prefix.
 *
 * <p>The bytes are the holder's alone until it releases the frame: it may also write to them (a
 * broker stamps offsets in place). After {@link #release()} neither the buffer nor slices of it may
 * be touched.
 */
public interface InboundFrame {

  /**
   * The content, from position 0 to the limit, big-endian; the same instance at each call. It may
   * be direct or on the heap.
   */
  ByteBuffer buffer();

  /**
   * Releases this frame and returns its content in memory that is the caller's for as long as it
   * likes, on the heap. Copies where the frame's own memory is used again or is not on the heap. To
   * be called instead of {@link #release()}.
   */
  default ByteBuffer detach() {
    ByteBuffer own = ByteBuffer.allocate(buffer().limit());
    own.put(buffer().duplicate().position(0)).flip();
    release();
    return own;
  }

  /** Gives the memory back. To be called once; a second call is an error that is reported. */
  void release();
}
