package io.weirmq.client.ipc;

import java.nio.ByteBuffer;

/** Zig-zag varints of the record format, written at an index. Stateless. */
final class Varints {

  private Varints() {}

  /** The number of bytes of a value. */
  static int sizeOf(int value) {
    int raw = (value << 1) ^ (value >> 31);
    return (raw & ~0x7f) == 0 ? 1 : (38 - Integer.numberOfLeadingZeros(raw)) / 7;
  }

  /** The number of bytes of a value. */
  static int sizeOfLong(long value) {
    long raw = (value << 1) ^ (value >> 63);
    return (raw & ~0x7fL) == 0 ? 1 : (70 - Long.numberOfLeadingZeros(raw)) / 7;
  }

  /** Writes a value and returns the index behind it. */
  static int put(ByteBuffer target, int index, int value) {
    return putUnsigned(target, index, (value << 1) ^ (value >> 31));
  }

  /** Writes a value that is not zig-zag encoded, as lengths in messages are. */
  static int putUnsigned(ByteBuffer target, int index, int value) {
    int raw = value;
    int at = index;
    while ((raw & ~0x7f) != 0) {
      target.put(at++, (byte) (raw | 0x80));
      raw >>>= 7;
    }
    target.put(at++, (byte) raw);
    return at;
  }

  /** Writes a value and returns the index behind it. */
  static int putLong(ByteBuffer target, int index, long value) {
    long raw = (value << 1) ^ (value >> 63);
    int at = index;
    while ((raw & ~0x7fL) != 0) {
      target.put(at++, (byte) (raw | 0x80));
      raw >>>= 7;
    }
    target.put(at++, (byte) raw);
    return at;
  }
}
