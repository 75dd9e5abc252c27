package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pieces of direct memory for the large frames of one I/O thread, used again and again.
 *
 * <p>A frame of its own array costs the zeros that Java writes into it, a share of a garbage
 * collection, and a copy by the JDK once it goes into a file. A piece costs none of these; and as
 * the one that came back last goes out first, its bytes are often in the processor's cache still.
 *
 * <pre>
 *   size of a piece   8 KiB  32 KiB  128 KiB  512 KiB  2 MiB
 *   at most             512     128       32        8      2      {@link #SIZE_BYTES_MAX} of each size
 * </pre>
 *
 * <p>Pieces are made when they are needed first, and kept. Where all of a size are out, there is
 * none: the frame takes an array instead. So it does where the JVM has no direct memory left, and
 * no more pieces of that size are made from then on: each attempt would take the JVM a full
 * collection and half a second.
 *
 * <p>{@link #take} is for any thread, and so is giving back.
 */
final class FramePool {

  /**
   * Memory in pieces of one size, at most: enough for eight batches of 256 KiB, as five in flight
   * of one of Kafka's producers come in pieces of 512 KiB.
   */
  static final int SIZE_BYTES_MAX = 4 * 1024 * 1024;

  /** The largest piece. */
  static final int PIECE_BYTES_MAX = 2 * 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(FramePool.class);

  private static final int SMALLEST_BYTES = 8 * 1024;
  private static final int STEP_BITS = 2;

  /** Memory that belongs to one frame, or to none. */
  static final class Piece implements FrameLender {
    private final Shelf shelf;
    private final ByteBuffer memory;

    private Piece(Shelf shelf, ByteBuffer memory) {
      this.shelf = shelf;
      this.memory = memory;
    }

    /** All of the memory, from 0 to the capacity; position and limit are not to be moved. */
    ByteBuffer memory() {
      return memory;
    }

    @Override
    public void giveBack() {
      shelf.put(this);
    }
  }

  /** The pieces of one size. */
  private static final class Shelf {
    private final int bytes;
    private final IntFunction<ByteBuffer> allocator;
    private final ArrayDeque<Piece> free = new ArrayDeque<>();
    private int unmade;

    Shelf(int bytes, IntFunction<ByteBuffer> allocator) {
      this.bytes = bytes;
      this.allocator = allocator;
      this.unmade = SIZE_BYTES_MAX / bytes;
    }

    synchronized @Nullable Piece take() {
      Piece last = free.pollLast();
      return last == null && unmade > 0 ? make() : last;
    }

    private @Nullable Piece make() {
      try {
        Piece made = new Piece(this, allocator.apply(bytes));
        unmade--;
        return made;
      } catch (OutOfMemoryError e) {
        LOG.warn(
            "no direct memory for a piece of {} bytes; frames of this size take arrays from now on"
                + " where the pieces made so far are out",
            bytes,
            e);
        unmade = 0;
        return null;
      }
    }

    synchronized void put(Piece piece) {
      free.addLast(piece);
    }
  }

  private final Shelf[] shelves = new Shelf[shelfOf(PIECE_BYTES_MAX) + 1];

  /** Makes a pool without memory. */
  FramePool() {
    this(ByteBuffer::allocateDirect);
  }

  /**
   * Makes a pool without memory.
   *
   * @param allocator makes a buffer of so many bytes; an OutOfMemoryError means that there is none
   */
  FramePool(IntFunction<ByteBuffer> allocator) {
    int bytes = SMALLEST_BYTES;
    for (int i = 0; i < shelves.length; i++) {
      shelves[i] = new Shelf(bytes, allocator);
      bytes <<= STEP_BITS;
    }
  }

  /**
   * Takes a piece.
   *
   * @param length in bytes, 1 or more
   * @return a piece of that length at least; null where there is none
   */
  @Nullable Piece take(int length) {
    return length > PIECE_BYTES_MAX ? null : shelves[shelfOf(length)].take();
  }

  private static int shelfOf(int length) {
    int shelf = 0;
    for (int bytes = SMALLEST_BYTES; bytes < length; bytes <<= STEP_BITS) {
      shelf++;
    }
    return shelf;
  }
}
