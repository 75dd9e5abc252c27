package io.weirmq.storage.compress;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * A bounded pool of byte arrays of one size, for codecs.
 *
 * <p>When the pool is empty a new array is made; when it is full an array that comes back is left
 * to the garbage collector. So it never blocks, and never holds more than its bound. Safe for use
 * by several threads.
 */
public final class BufferPool {

  /** Size of the arrays by default: the largest block of Zstandard with its header. */
  public static final int BUFFER_BYTES_DEFAULT = 132 * 1024;

  /** Arrays that are kept by default, 8 MiB in all. */
  public static final int BUFFERS_MAX_DEFAULT = 64;

  private final int bufferBytes;
  private final BlockingQueue<byte[]> free;

  /** Makes a pool with the default sizes. */
  public BufferPool() {
    this(BUFFER_BYTES_DEFAULT, BUFFERS_MAX_DEFAULT);
  }

  /**
   * Makes an empty pool.
   *
   * @param bufferBytes size of each array, 1 or more
   * @param buffersMax arrays that are kept, 1 or more
   */
  public BufferPool(int bufferBytes, int buffersMax) {
    if (bufferBytes < 1) {
      throw new IllegalArgumentException("bufferBytes is " + bufferBytes + "; at least 1");
    }
    this.bufferBytes = bufferBytes;
    this.free = new ArrayBlockingQueue<>(buffersMax);
  }

  /** Size of the pooled arrays in bytes. */
  public int bufferBytes() {
    return bufferBytes;
  }

  /**
   * Returns an array, with any content, that the caller gives back once.
   *
   * @param bytesMin size that it has at least; above {@link #bufferBytes()} it is not pooled
   */
  public byte[] take(int bytesMin) {
    if (bytesMin > bufferBytes) {
      return new byte[bytesMin];
    }
    byte[] pooled = free.poll();
    return pooled != null ? pooled : new byte[bufferBytes];
  }

  /** Takes an array back; one that is not of the pool's size is dropped. */
  public void give(byte[] buffer) {
    if (buffer.length == bufferBytes) {
      free.offer(buffer);
    }
  }
}
