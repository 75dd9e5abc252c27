package io.weirmq.storage.compress;

import java.nio.ByteBuffer;

/** Gives Zstandard the arrays of our pool. */
final class ZstdBuffers implements com.github.luben.zstd.BufferPool {

  private final BufferPool pool;

  ZstdBuffers(BufferPool pool) {
    this.pool = pool;
  }

  @Override
  public ByteBuffer get(int capacity) {
    return ByteBuffer.wrap(pool.take(capacity));
  }

  @Override
  public void release(ByteBuffer buffer) {
    if (buffer.arrayOffset() == 0) {
      pool.give(buffer.array());
    }
  }
}
