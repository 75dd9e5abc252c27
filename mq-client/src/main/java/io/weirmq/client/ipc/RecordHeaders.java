package io.weirmq.client.ipc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Headers of records to be published, in the form in which they are stored. To be filled once and
 * used for many records, or cleared and filled again; a publisher copies them. Confined to one
 * thread.
 */
public final class RecordHeaders {

  private static final int FIRST_CAPACITY = 64;
  private static final int NO_VALUE = -1;

  /** All headers one after the other, without their number, up to {@link #end}. */
  private ByteBuffer encoded = ByteBuffer.allocate(FIRST_CAPACITY);

  private int end;
  private int count;

  /** Makes an empty set of headers. */
  public RecordHeaders() {}

  /**
   * Adds a header behind those that are there; a key may come several times.
   *
   * @param key of any length
   * @param value from position to limit, which stay as they are, or null; copied
   * @return this
   * @throws ArithmeticException where all headers together have more than 2<sup>31</sup> - 1 bytes
   */
  public RecordHeaders add(String key, @Nullable ByteBuffer value) {
    byte[] name = Objects.requireNonNull(key, "key").getBytes(StandardCharsets.UTF_8);
    int valueLength = value == null ? NO_VALUE : value.remaining();
    ByteBuffer target =
        withRoomFor(
            Math.addExact(
                Math.addExact(name.length, Math.max(0, valueLength)),
                Varints.sizeOf(name.length) + Varints.sizeOf(valueLength)));
    int at = Varints.put(target, end, name.length);
    target.put(at, name);
    at = Varints.put(target, at + name.length, valueLength);
    if (value != null) {
      target.put(at, value, value.position(), valueLength);
      at += valueLength;
    }
    end = at;
    count++;
    return this;
  }

  private ByteBuffer withRoomFor(int bytes) {
    int needed = Math.addExact(end, bytes);
    if (needed > encoded.capacity()) {
      int capacity = (int) Math.min(Integer.MAX_VALUE, Math.max(needed, 2L * encoded.capacity()));
      encoded = ByteBuffer.allocate(capacity).put(0, encoded, 0, end);
    }
    return encoded;
  }

  /** Removes all of them. */
  public void clear() {
    end = 0;
    count = 0;
  }

  /** The number of headers. */
  public int count() {
    return count;
  }

  /** Bytes in a record, with the number of headers in front of them. */
  int sizeInBytes() {
    return Varints.sizeOf(count) + end;
  }

  /** Writes them into a record and returns the index behind them. */
  int put(ByteBuffer target, int index) {
    int at = Varints.put(target, index, count);
    target.put(at, encoded, 0, end);
    return at + end;
  }
}
