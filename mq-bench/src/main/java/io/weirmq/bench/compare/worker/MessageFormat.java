package io.weirmq.bench.compare.worker;

import java.nio.ByteBuffer;

/**
 * Layout of a message, big-endian:
 *
 * <pre>
 *   0   8  sequence number, from 0
 *   8   8  intended send time, System.nanoTime of the sender; 0 where it isn't measured
 *   16  4  phase: 0 warm-up, 1 counted, 2 end (no message by itself; its number is the count of all)
 *   20  n  any bytes
 *   -4  4  check: the sequence number, lower half, exclusive-or {@value #CHECK}
 * </pre>
 */
final class MessageFormat {

  static final int WARM_UP = 0;
  static final int COUNTED = 1;
  static final int END = 2;

  private static final int CHECK = 0x5EED_C0DE;
  private static final int TIME_POSITION = 8;
  private static final int PHASE_POSITION = 16;

  private MessageFormat() {}

  /** Returns a message of so many bytes, filled with letters. */
  static ByteBuffer allocate(int bytes) {
    ByteBuffer message = ByteBuffer.allocateDirect(bytes);
    for (int i = 0; i < bytes; i++) {
      message.put(i, (byte) ('A' + i % 26));
    }
    return message;
  }

  static void write(ByteBuffer message, long sequence, long intendedNs, int phase) {
    message.putLong(0, sequence);
    message.putLong(TIME_POSITION, intendedNs);
    message.putInt(PHASE_POSITION, phase);
    message.putInt(message.capacity() - Integer.BYTES, (int) sequence ^ CHECK);
  }

  static long sequence(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset);
  }

  static long intendedNs(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset + TIME_POSITION);
  }

  static int phase(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + PHASE_POSITION);
  }

  static boolean isWhole(ByteBuffer buffer, int offset, int length, int expectedLength) {
    return length == expectedLength
        && buffer.getInt(offset + length - Integer.BYTES)
            == ((int) sequence(buffer, offset) ^ CHECK);
  }
}
