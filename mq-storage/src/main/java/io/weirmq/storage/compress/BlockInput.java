package io.weirmq.storage.compress;

import java.io.IOException;
import java.io.InputStream;

/** A stream that decompresses one block after another into an array of a pool. */
abstract class BlockInput extends InputStream {

  private final BufferPool pool;

  private byte[] block;
  private int from;
  private int to;
  private boolean ended;
  private boolean closed;

  BlockInput(BufferPool pool) {
    this.pool = pool;
    this.block = pool.take(1);
  }

  /**
   * Decompresses the next block into {@link #block}.
   *
   * @return its length, or -1 where there is none
   */
  abstract int fill() throws IOException;

  /** Returns an array for a block of a length; its content is lost with the next call. */
  final byte[] block(int bytesMin) {
    if (block.length < bytesMin) {
      pool.give(block);
      block = pool.take(bytesMin);
    }
    return block;
  }

  final BufferPool pool() {
    return pool;
  }

  @Override
  public final int read() throws IOException {
    return advance() ? block[from++] & 0xff : -1;
  }

  @Override
  public final int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!advance()) {
      return -1;
    }
    int count = Math.min(length, to - from);
    System.arraycopy(block, from, target, offset, count);
    from += count;
    return count;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ended = true;
      from = to;
      pool.give(block);
    }
  }

  private boolean advance() throws IOException {
    while (from == to && !ended) {
      int length = fill();
      from = 0;
      to = Math.max(length, 0);
      ended = length < 0;
    }
    return from < to;
  }
}
