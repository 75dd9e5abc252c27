package io.weirmq.storage.internal.validate;

import io.weirmq.storage.record.RecordBatch;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A quick pass over uncompressed records that are as they nearly always are: sound, of less than 8
 * KiB, without headers, within seconds of the first. It finds what {@link RecordScan} finds, or is
 * <i>not sure</i>; then that one decides, and words what is wrong. So this class refuses nothing,
 * and whatever it lets pass the other one would let pass.
 *
 * <pre>
 *   record   | length 1-2 | attributes 1 | timestampDelta 1-2 | offsetDelta 1-3 | keyLength …
 *            |&lt;------------------- at most 8 bytes: one load --------------------&gt;|
 * </pre>
 *
 * <p>The front of a record is taken apart in a register, and nothing is kept in fields meanwhile.
 *
 * <p>Confined to one thread.
 */
final class PlainRecords {

  /** What the length of the smallest record counts: six fields of a byte each. */
  private static final int BODY_BYTES_MIN = 6;

  /** Records whose offset deltas have three bytes at most. */
  private static final int COUNT_MAX = 1 << 20;

  private static final long NOT_SURE = -1;

  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private long maxTimestampMs;
  private int maxTimestampOffsetDelta;

  /**
   * Goes over all records.
   *
   * @param batch whole and not compressed
   * @return whether all of them are sound and keep the rules; false where that is not sure
   */
  boolean run(RecordBatch batch, RecordRules rules) {
    ByteBuffer buffer = batch.buffer();
    int limit = batch.position() + batch.sizeInBytes();
    int count = batch.recordCount();
    int keyLengthMin = rules.keyRequired() ? 0 : -1;
    long baseTimestamp = batch.baseTimestamp();
    long greatest = Long.MIN_VALUE;
    int greatestIndex = 0;
    int at = batch.position() + RecordBatch.HEADER_BYTES;
    if (count > COUNT_MAX) {
      return false;
    }
    for (int index = 0; index < count; index++) {
      if (limit - at < Long.BYTES) {
        return false;
      }
      long front = (long) WORD.get(buffer, at);

      int bytes = shortVarintBytes(front);
      int length = shortVarint(front, bytes);
      at += bytes;
      if (bytes == 0 || length < BODY_BYTES_MIN || length > limit - at) {
        return false;
      }
      int end = at + length;
      front >>>= (bytes + 1) * Byte.SIZE; // and over the attributes, which may be anything

      bytes = shortVarintBytes(front);
      long timestampMs = baseTimestamp + shortVarint(front, bytes);
      if (bytes == 0 || !rules.accepts(timestampMs)) {
        return false;
      }
      at += 1 + bytes;
      front >>>= bytes * Byte.SIZE;

      bytes = offsetDeltaBytes(index);
      if ((front & ((1L << (bytes * Byte.SIZE)) - 1)) != offsetDelta(index, bytes)) {
        return false;
      }
      at += bytes;

      long key = length(buffer, at, end);
      if (key == NOT_SURE || lengthOf(key) < keyLengthMin) {
        return false;
      }
      at = behind(key);
      long value = length(buffer, at, end);
      if (value == NOT_SURE) {
        return false;
      }
      at = behind(value);
      if (at != end - 1 || buffer.get(at) != 0) {
        return false; // there are headers, or the bytes do not fit
      }
      at = end;
      if (timestampMs > greatest) {
        greatest = timestampMs;
        greatestIndex = index;
      }
    }
    maxTimestampMs = greatest;
    maxTimestampOffsetDelta = greatestIndex;
    return at == limit;
  }

  /** The greatest timestamp found, where the pass was sure. */
  long maxTimestampMs() {
    return maxTimestampMs;
  }

  /** Offset delta of the first record with that timestamp, where the pass was sure. */
  int maxTimestampOffsetDelta() {
    return maxTimestampOffsetDelta;
  }

  /** Size of the varint in the lowest bytes, 1 or 2; 0 where it is longer. */
  private static int shortVarintBytes(long word) {
    if ((word & 0x80) == 0) {
      return 1;
    }
    return (word & 0x8000) == 0 ? 2 : 0;
  }

  /** The value of a varint of 1 or 2 bytes. */
  private static int shortVarint(long word, int bytes) {
    int low = (int) word & 0x7f;
    return unZigZag(bytes == 1 ? low : low | ((int) (word >>> 1) & 0x3f80));
  }

  /** Size of the varint of a record's number. */
  private static int offsetDeltaBytes(int index) {
    if (index < 1 << 6) {
      return 1;
    }
    return index < 1 << 13 ? 2 : 3;
  }

  /** The varint of a record's number as its bytes stand in a word, lowest first. */
  private static long offsetDelta(int index, int bytes) {
    int raw = index << 1;
    return switch (bytes) {
      case 1 -> raw;
      case 2 -> (raw & 0x7f) | 0x80 | (raw >>> 7) << 8;
      default -> (raw & 0x7f) | 0x80 | (raw & 0x3f80) << 1 | 0x8000 | (raw >>> 14) << 16;
    };
  }

  /**
   * Reads a length of one or two bytes, and steps over as many bytes as it says.
   *
   * @return the length below, the index behind it above; or {@link #NOT_SURE}, also where the bytes
   *     pass the end
   */
  private static long length(ByteBuffer buffer, int from, int end) {
    if (from >= end) {
      return NOT_SURE;
    }
    int next = from + 1;
    int part = buffer.get(from);
    int raw = part & 0x7f;
    if (part < 0) {
      if (next >= end) {
        return NOT_SURE;
      }
      part = buffer.get(next++);
      raw |= (part & 0x7f) << 7;
      if (part < 0) {
        return NOT_SURE;
      }
    }
    int length = unZigZag(raw);
    if (length < -1 || length > end - next) {
      return NOT_SURE;
    }
    return (long) (next + Math.max(length, 0)) << Integer.SIZE | (length & 0xffff_ffffL);
  }

  private static int lengthOf(long field) {
    return (int) field;
  }

  private static int behind(long field) {
    return (int) (field >>> Integer.SIZE);
  }

  private static int unZigZag(int raw) {
    return (raw >>> 1) ^ -(raw & 1);
  }
}
