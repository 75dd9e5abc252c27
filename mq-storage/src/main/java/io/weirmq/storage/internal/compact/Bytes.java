package io.weirmq.storage.internal.compact;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Growing bytes that can be looked at without a copy. Confined to one thread. */
final class Bytes extends ByteArrayOutputStream {

  Bytes(int capacity) {
    super(capacity);
  }

  /** The bytes from 0 to the limit; borrowed until the next change. */
  ByteBuffer view() {
    return ByteBuffer.wrap(buf, 0, count);
  }

  int capacity() {
    return buf.length;
  }

  /** Appends a part of a buffer, which is left as it is. */
  void put(ByteBuffer source, int position, int length) {
    if (source.hasArray()) {
      write(source.array(), source.arrayOffset() + position, length);
    } else {
      byte[] copy = new byte[length];
      source.get(position, copy);
      write(copy, 0, length);
    }
  }

  /** Appends a zig-zag varint. */
  void putVarint(int value) {
    putUnsigned(((value << 1) ^ (value >> 31)) & 0xffffffffL);
  }

  /** Appends a zig-zag varlong. */
  void putVarlong(long value) {
    putUnsigned((value << 1) ^ (value >> 63));
  }

  private void putUnsigned(long raw) {
    long rest = raw;
    while ((rest & ~0x7fL) != 0) {
      write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    write((int) rest);
  }
}
