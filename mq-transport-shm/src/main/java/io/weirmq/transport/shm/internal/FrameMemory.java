package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Gives small frames their memory: pieces of a slab that one I/O thread has for all its
 * connections.
 *
 * <p>A slab is used again from its beginning as soon as all frames in it were released, which for a
 * handler that releases in its callback is at the next frame: the bytes stay in the processor's
 * cache and the collector sees little. A slab that is full while frames are held is left to them.
 * Large frames get an array of their own. A frame that is only lent needs no more than a buffer
 * that is used for all of them.
 *
 * <p>Confined to the I/O thread, except for {@link Slab#giveBack()}.
 */
final class FrameMemory {

  private static final int SLAB_BYTES = 64 * 1024;

  /** Largest frame in a slab; held for long, a frame keeps its whole slab. */
  static final int SHARED_BYTES_MAX = 4 * 1024;

  /** Memory of several frames. */
  static final class Slab {
    private final Thread owner = Thread.currentThread();
    private final ByteBuffer memory = ByteBuffer.allocate(SLAB_BYTES);
    private final AtomicLong givenBackByOthers = new AtomicLong();
    private long givenBackByOwner;
    private long handedOut;
    private int position;

    /** Gives the memory of one frame back. From any thread. */
    void giveBack() {
      if (Thread.currentThread() == owner) {
        givenBackByOwner++;
      } else {
        givenBackByOthers.incrementAndGet();
      }
    }

    private boolean isUnused() {
      return givenBackByOwner == handedOut
          || givenBackByOwner + givenBackByOthers.get() == handedOut;
    }
  }

  private final byte[] lentBytes = new byte[SHARED_BYTES_MAX];
  private final ByteBuffer lent = ByteBuffer.wrap(lentBytes);
  private @Nullable Slab slab;

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
    source.get(position, into.memory.array(), start, length);
    into.position += length;
    into.handedOut++;
    return new ShmInboundFrame(into.memory.slice(start, length), into);
  }

  /**
   * Copies a frame that is needed until the next one only.
   *
   * @param length in bytes, at most {@link #SHARED_BYTES_MAX}
   */
  ByteBuffer lend(ByteBuffer source, int position, int length) {
    source.get(position, lentBytes, 0, length);
    return lent.clear().limit(length).order(ByteOrder.BIG_ENDIAN);
  }

  private Slab slabFor(int length) {
    Slab current = slab;
    if (current == null) {
      current = new Slab();
      slab = current;
    } else if (current.isUnused()) {
      current.position = 0;
    } else if (current.position + length > SLAB_BYTES) {
      current = new Slab();
      slab = current;
    }
    return current;
  }
}
