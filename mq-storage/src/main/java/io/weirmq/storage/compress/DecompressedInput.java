package io.weirmq.storage.compress;

import io.weirmq.storage.CompressionType;
import java.io.IOException;
import java.io.InputStream;

/**
 * The content of a compressed block, read in pieces. All failures of the codec come as {@link
 * DecompressionException}.
 *
 * <p>Confined to one thread.
 */
public final class DecompressedInput implements AutoCloseable {

  private final CompressionType codec;
  private final InputStream stream;
  private final long limitBytes;

  private long readBytes;

  DecompressedInput(CompressionType codec, InputStream stream, long limitBytes) {
    this.codec = codec;
    this.stream = stream;
    this.limitBytes = limitBytes;
  }

  /**
   * Reads some bytes.
   *
   * @param target where to
   * @param from index of the first byte to set
   * @param length bytes to read at most, 1 or more
   * @return how many were read, 1 or more; -1 at the end of the block
   * @throws DecompressionException where the block is malformed, or holds more than the limit
   */
  public int read(byte[] target, int from, int length) throws DecompressionException {
    int count;
    try {
      count = stream.read(target, from, length);
    } catch (IOException | RuntimeException e) {
      throw DecompressionException.malformed(codec, e);
    }
    if (count == 0 && length > 0) {
      throw DecompressionException.malformed(codec, new IOException("codec makes no progress"));
    }
    if (count > 0) {
      readBytes += count;
      if (readBytes > limitBytes) {
        throw DecompressionException.overLimit(codec, limitBytes);
      }
    }
    return count;
  }

  /** Gives working memory back. Closing again does nothing. */
  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      // The streams below read memory only, so that a failing close has nothing to lose.
      throw new IllegalStateException("closing a stream over memory failed", e);
    }
  }
}
