package io.weirmq.testkit.storage;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes that grow. Bytes that nobody wrote are zeros. Confined to one thread at a time. */
final class Content {

  private static final int INITIAL_BYTES = 256;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length;

  int length() {
    return length;
  }

  void write(int position, byte[] source, int from, int count) {
    if (count == 0) {
      return;
    }
    extendTo(position + count);
    System.arraycopy(source, from, bytes, position, count);
  }

  void extendTo(int newLength) {
    if (newLength > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(newLength, (int) Math.min(2L * bytes.length, 1 << 30)));
    }
    length = Math.max(length, newLength);
  }

  void truncate(int newLength) {
    if (newLength < length) {
      Arrays.fill(bytes, newLength, length, (byte) 0);
      length = newLength;
    }
  }

  int read(ByteBuffer target, long position, int atMost) {
    if (position >= length) {
      return -1;
    }
    int count = (int) Math.min(Math.min(target.remaining(), atMost), length - position);
    target.put(bytes, (int) position, count);
    return count;
  }

  void flipBit(int position, int bit) {
    bytes[position] ^= (byte) (1 << bit);
  }

  byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }

  Content duplicate() {
    Content copy = new Content();
    copy.bytes = Arrays.copyOf(bytes, Math.max(length, INITIAL_BYTES));
    copy.length = length;
    return copy;
  }
}
