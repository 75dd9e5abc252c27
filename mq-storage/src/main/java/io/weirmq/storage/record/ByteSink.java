package io.weirmq.storage.record;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A growing array of bytes. Confined to one thread. */
final class ByteSink extends OutputStream {

  private byte[] bytes;
  private int size;

  ByteSink(int capacity) {
    bytes = new byte[capacity];
  }

  @Override
  public void write(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  @Override
  public void write(byte[] source, int from, int length) {
    reserve(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  /** Writes from position to limit, which are left as they are. */
  void write(ByteBuffer source) {
    int length = source.remaining();
    reserve(length);
    source.get(source.position(), bytes, size, length);
    size += length;
  }

  /** Writes a zig-zag varint. */
  void writeVarint(int value) {
    int raw = (value << 1) ^ (value >> 31);
    while ((raw & ~0x7f) != 0) {
      write((raw & 0x7f) | 0x80);
      raw >>>= 7;
    }
    write(raw);
  }

  /** Writes a zig-zag varlong. */
  void writeVarlong(long value) {
    long raw = (value << 1) ^ (value >> 63);
    while ((raw & ~0x7fL) != 0) {
      write((int) (raw & 0x7f) | 0x80);
      raw >>>= 7;
    }
    write((int) raw);
  }

  int size() {
    return size;
  }

  void truncate(int newSize) {
    size = newSize;
  }

  byte[] array() {
    return bytes;
  }

  private void reserve(int length) {
    int needed = Math.addExact(size, length);
    if (needed > bytes.length) {
      long twice = 2L * bytes.length;
      bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(twice, Integer.MAX_VALUE - 8)));
    }
  }
}
