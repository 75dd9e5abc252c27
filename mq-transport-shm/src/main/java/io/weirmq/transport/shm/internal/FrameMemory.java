package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives small frames their memory: pieces of a slab that one I/O thread has for all its
 * connections.
 *
 * <p>A slab is used again from its beginning as soon as all frames in it were released, which for a
 * handler that releases in its callback is at the next frame: the bytes stay in the processor's
 * cache and the collector sees little. A slab that is full while frames are held is left to them.
 * Large frames get an array of their own.
 *
 * <p>Confined to the I/O thread, except for {@link Slab#giveBack()}.
 */
final class FrameMemory {

  private static final int SLAB_BYTES = 64 * 1024;

  /** Largest frame in a slab; held for long, a frame keeps its whole slab. */
  static final int SHARED_BYTES_MAX = 4 * 1024;

  /** Memory of several frames. */
  static final class Slab {
    private final byte[] bytes = new byte[SLAB_BYTES];
    private final AtomicLong givenBack = new AtomicLong();
    private long handedOut;
    private int position;

    /** Gives the memory of one frame back. From any thread. */
    void giveBack() {
      givenBack.incrementAndGet();
    }

    private boolean isUnused() {
      return givenBack.get() == handedOut;
    }
  }

  private Slab slab = new Slab();

  /**
   * Copies a frame out of shared memory.
   *
   * @param length in bytes; checked by the caller
   */
  ShmInboundFrame copy(ByteBuffer source, int position, int length) {
    if (length > SHARED_BYTES_MAX) {
      byte[] own = new byte[length];
      source.get(position, own, 0, length);
      return new ShmInboundFrame(ByteBuffer.wrap(own), null);
    }
    Slab into = slabFor(length);
    int start = into.position;
    source.get(position, into.bytes, start, length);
    into.position += length;
    into.handedOut++;
    return new ShmInboundFrame(ByteBuffer.wrap(into.bytes, start, length).slice(), into);
  }

  private Slab slabFor(int length) {
    Slab current = slab;
    if (current.isUnused()) {
      current.position = 0;
    } else if (current.position + length > SLAB_BYTES) {
      current = new Slab();
      slab = current;
    }
    return current;
  }
}
