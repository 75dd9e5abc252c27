package io.weirmq.transport.shm.internal;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of direct memory for the large frames of one I/O thread, used again and again.
 *
 * <p>A frame of its own array costs the zeros that Java writes into it, a share of a garbage
 * collection, and a copy by the JDK once it goes into a file. A piece costs none of these; and as
 * the one that came back last goes out first, its bytes are often in the processor's cache still.
 *
 * <pre>
 *   size of a piece   8 KiB  32 KiB  128 KiB  512 KiB  2 MiB
 *   at most             256      64       16        4      1      {@link #SIZE_BYTES_MAX} of each size
 * </pre>
 *
 * <p>Pieces are made when they are needed first, and kept. Where all of a size are out, there is
 * none: the frame takes an array instead.
 *
 * <p>{@link #take} is for any thread, and so is giving back.
 */
final class FramePool {

  /** Memory in pieces of one size, at most. */
  static final int SIZE_BYTES_MAX = 2 * 1024 * 1024;

  /** The largest piece. */
  static final int PIECE_BYTES_MAX = 2 * 1024 * 1024;

  private static final int SMALLEST_BYTES = 8 * 1024;
  private static final int STEP_BITS = 2;

  /** Memory that belongs to one frame, or to none. */
  static final class Piece implements FrameLender {
    private final Shelf shelf;
    private final ByteBuffer memory;

    private Piece(Shelf shelf, int bytes) {
      this.shelf = shelf;
      this.memory = ByteBuffer.allocateDirect(bytes);
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
    private final ArrayDeque<Piece> free = new ArrayDeque<>();
    private int unmade;

    Shelf(int bytes) {
      this.bytes = bytes;
      this.unmade = SIZE_BYTES_MAX / bytes;
    }

    synchronized @Nullable Piece take() {
      Piece last = free.pollLast();
      if (last == null && unmade > 0) {
        unmade--;
        return new Piece(this, bytes);
      }
      return last;
    }

    synchronized void put(Piece piece) {
      free.addLast(piece);
    }
  }

  private final Shelf[] shelves = new Shelf[shelfOf(PIECE_BYTES_MAX) + 1];

  /** Makes a pool without memory. */
  FramePool() {
    int bytes = SMALLEST_BYTES;
    for (int i = 0; i < shelves.length; i++) {
      shelves[i] = new Shelf(bytes);
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
