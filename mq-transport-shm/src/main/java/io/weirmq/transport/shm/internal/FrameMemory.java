package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Gives frames their memory: small ones pieces of a slab that one I/O thread has for all its
 * connections, large ones pieces of its {@link FramePool}.
 *
 * <p>A slab is used again from its beginning as soon as all frames in it were released, which for a
 * handler that releases in its callback is at the next frame: the bytes stay in the processor's
 * cache and the collector sees little. A slab that is full while frames are held is left to them. A
 * frame that is only lent needs no more than a buffer that is used for all of them.
 *
 * <p>Without a pool, and where it has nothing left, a large frame gets an array of its own. That is
 * better for whoever {@linkplain ShmInboundFrame#detach detaches} its frames, as clients of Kafka
 * do: the array becomes theirs without a copy.
 *
 * <p>Confined to the loop, except for giving back.
 */
final class FrameMemory {

  private static final int SLAB_BYTES = 64 * 1024;

  /** Largest frame in a slab; held for long, a frame keeps its whole slab. */
  static final int SHARED_BYTES_MAX = 4 * 1024;

  /** Memory of several frames. */
  private static final class Slab implements FrameLender {
    private final @Nullable Thread owner;
    private final ByteBuffer memory = ByteBuffer.allocate(SLAB_BYTES);
    private final AtomicLong givenBackByOthers = new AtomicLong();
    private long givenBackByOwner;
    private long handedOut;
    private int position;

    Slab(@Nullable Thread owner) {
      this.owner = owner;
    }

    @Override
    public void giveBack() {
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
  private final @Nullable FramePool pool;
  private final boolean oneThread;
  private @Nullable Slab slab;

  /**
   * Makes memory.
   *
   * @param pool for large frames; null where they get arrays of their own
   * @param oneThread whether the loop is the same thread's for ever, which need not count its own
   *     frames for others to see
   */
  FrameMemory(@Nullable FramePool pool, boolean oneThread) {
    this.pool = pool;
    this.oneThread = oneThread;
  }

  /**
   * Copies a frame out of shared memory.
   *
   * @param length in bytes; checked by the caller
   * @throws InternalError where the memory of the source is gone; no memory is kept then
   */
  ShmInboundFrame copy(ByteBuffer source, int position, int length) {
    if (length > SHARED_BYTES_MAX) {
      FrameRoom room = roomFor(length);
      try {
        room.memory().put(0, source, position, length);
        return room.frame(length);
      } catch (RuntimeException | Error e) {
        room.giveBack(); // a peer that cuts its file must not empty the pool
        throw e;
      }
    }
    Slab into = slabFor(length);
    int start = into.position;
    source.get(position, into.memory.array(), start, length);
    into.position += length;
    into.handedOut++;
    return new ShmInboundFrame(into.memory.slice(start, length), into);
  }

  /**
   * Returns room for a large frame.
   *
   * @param length in bytes, 1 or more; the room may be larger
   */
  FrameRoom roomFor(int length) {
    FramePool.Piece piece = pool == null ? null : pool.take(length);
    return piece == null
        ? new FrameRoom(ByteBuffer.allocate(length), null)
        : new FrameRoom(piece.memory(), piece);
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
      current = newSlab();
      slab = current;
    } else if (current.isUnused()) {
      current.position = 0;
    } else if (current.position + length > SLAB_BYTES) {
      current = newSlab();
      slab = current;
    }
    return current;
  }

  private Slab newSlab() {
    return new Slab(oneThread ? Thread.currentThread() : null);
  }
}
