package io.weirmq.storage.compress;

import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads a buffer from its position to its limit. */
final class ByteBufferInput extends InputStream {

  private final ByteBuffer source;

  ByteBufferInput(ByteBuffer source) {
    this.source = source;
  }

  @Override
  public int read() {
    return source.hasRemaining() ? source.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int from, int length) {
    if (length == 0) {
      return 0;
    }
    int count = Math.min(length, source.remaining());
    if (count == 0) {
      return -1;
    }
    source.get(target, from, count);
    return count;
  }

  @Override
  public int available() {
    return source.remaining();
  }
}
