package io.weirmq.storage.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A re-usable view of one record in a buffer.
 *
 * <pre>
 *   length          varint, of all that follows
 *   attributes      int8, 0
 *   timestampDelta  varlong
 *   offsetDelta     varint
 *   keyLength       varint, -1 for null       key
 *   valueLength     varint, -1 for null       value
 *   headerCount     varint
 *   per header: keyLength varint, key (UTF-8), valueLength varint, -1 for null, value
 * </pre>
 *
 * <p>Varints are zig-zag encoded. {@link #parse} checks the whole structure, so that accessors
 * can't meet a bad length; nothing is allocated but what an accessor returns.
 *
 * <p>Confined to one thread. The buffer is borrowed until the next {@code parse}.
 */
public final class RecordView {

  /** The length field is cut. */
  static final long SIZE_UNKNOWN = 0;

  /** The length field can't be one. */
  static final long SIZE_MALFORMED = -1;

  /** Bytes of a varint at most. */
  static final int VARINT_BYTES_MAX = 5;

  private static final int NULL_LENGTH = -1;

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private ByteBuffer buffer = EMPTY;
  private int position;
  private int end;
  private byte attributes;
  private long timestampDelta;
  private int offsetDelta;
  private int keyPosition;
  private int keyLength;
  private int valuePosition;
  private int valueLength;
  private int headersPosition;
  private int headerCount;

  // The place of the parser, and the one of the header iteration.
  private int at;
  private int headerIndex;
  private int headerKeyPosition;
  private int headerKeyLength;
  private int headerValuePosition;
  private int headerValueLength;

  /** Makes a view of nothing. */
  public RecordView() {}

  /**
   * Parses the record at a position and checks its structure.
   *
   * @param source borrowed until the next call
   * @param start index of the record's first byte
   * @param limit index behind the last byte that may belong to it
   * @return index of the first byte behind the record; -1 where it breaks the format or passes the
   *     limit, and then no accessor may be used but {@link #failure()}
   */
  public int parse(ByteBuffer source, int start, int limit) {
    buffer = source;
    position = start;
    at = start;
    end = limit;
    int length = readVarint();
    if (at < 0 || length < 0 || length > limit - at) {
      return fail();
    }
    end = at + length;
    if (length == 0) {
      return fail();
    }
    attributes = buffer.get(at++);
    timestampDelta = readVarlong();
    if (at < 0) {
      return fail();
    }
    offsetDelta = readVarint();
    keyLength = readLength();
    keyPosition = at;
    if (at < 0) {
      return fail();
    }
    at += Math.max(keyLength, 0);
    valueLength = readLength();
    valuePosition = at;
    if (at < 0) {
      return fail();
    }
    at += Math.max(valueLength, 0);
    headerCount = readVarint();
    headersPosition = at;
    if (at < 0 || headerCount < 0) {
      return fail();
    }
    if (headerCount != 0 && !skipHeaders()) {
      return fail();
    }
    headerIndex = 0;
    if (at != end) {
      return fail();
    }
    return end;
  }

  /**
   * Returns the size of the record at a position, as far as the present bytes tell it.
   *
   * @return size in bytes with the length field; {@link #SIZE_UNKNOWN} where the length field is
   *     cut by the limit; {@link #SIZE_MALFORMED} where it can't be one
   */
  static long sizeAt(ByteBuffer source, int start, int limit) {
    int raw = 0;
    for (int i = 0; i < VARINT_BYTES_MAX; i++) {
      if (start + i >= limit) {
        return SIZE_UNKNOWN;
      }
      byte part = source.get(start + i);
      raw |= (part & 0x7f) << (7 * i);
      if (part >= 0) {
        int length = (raw >>> 1) ^ -(raw & 1);
        return length <= 0 ? SIZE_MALFORMED : (long) length + i + 1;
      }
    }
    return SIZE_MALFORMED;
  }

  /** Describes the place where the last {@link #parse} failed. */
  public String failure() {
    return "malformed record at byte %d".formatted(position);
  }

  /** Index of the record's first byte in the buffer. */
  public int position() {
    return position;
  }

  /** Size of the record in bytes, with its length field. */
  public int sizeInBytes() {
    return end - position;
  }

  /** The attribute byte; no bit of it has a meaning yet. */
  public byte attributes() {
    return attributes;
  }

  /** Milliseconds behind the batch's base timestamp; may be negative. */
  public long timestampDelta() {
    return timestampDelta;
  }

  /** Offset less the batch's base offset. */
  public int offsetDelta() {
    return offsetDelta;
  }

  /** Whether there is a key. */
  public boolean hasKey() {
    return keyLength >= 0;
  }

  /** Length of the key in bytes, -1 where it is null. */
  public int keyLength() {
    return keyLength;
  }

  /** Whether there is a value; a record without one is a tombstone on compacted topics. */
  public boolean hasValue() {
    return valueLength >= 0;
  }

  /** Length of the value in bytes, -1 where it is null. */
  public int valueLength() {
    return valueLength;
  }

  /** The key as a slice of the buffer, with big-endian order; null where there is none. */
  public @Nullable ByteBuffer key() {
    return slice(keyPosition, keyLength);
  }

  /** The value as a slice of the buffer, with big-endian order; null where there is none. */
  public @Nullable ByteBuffer value() {
    return slice(valuePosition, valueLength);
  }

  /** The buffer that the record lies in. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the key's first byte in the buffer; meaningless without a key. */
  public int keyPosition() {
    return keyPosition;
  }

  /** Index of the value's first byte in the buffer; meaningless without a value. */
  public int valuePosition() {
    return valuePosition;
  }

  /** Number of headers. */
  public int headerCount() {
    return headerCount;
  }

  /** Goes to the next header, to the first one at the first call after {@link #parse}. */
  public boolean nextHeader() {
    if (headerIndex == headerCount) {
      return false;
    }
    at = headerIndex == 0 ? headersPosition : headerValuePosition + Math.max(headerValueLength, 0);
    readHeader();
    headerIndex++;
    return true;
  }

  /** The key of the present header. */
  public String headerKey() {
    byte[] bytes = new byte[headerKeyLength];
    buffer.get(headerKeyPosition, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The value of the present header as a slice of the buffer; null where there is none. */
  public @Nullable ByteBuffer headerValue() {
    return slice(headerValuePosition, headerValueLength);
  }

  private @Nullable ByteBuffer slice(int from, int length) {
    return length < 0 ? null : buffer.slice(from, length);
  }

  private int fail() {
    headerCount = 0;
    headerIndex = 0;
    return -1;
  }

  private boolean skipHeaders() {
    // Each header takes two bytes at least, so a count that the bytes can't hold is no long loop.
    if (headerCount > (end - at) / 2) {
      return false;
    }
    for (int i = 0; i < headerCount; i++) {
      if (!readHeader()) {
        return false;
      }
      at += Math.max(headerValueLength, 0);
    }
    return true;
  }

  /** Reads one header and stops in front of its value's bytes. */
  private boolean readHeader() {
    headerKeyLength = readLength();
    if (at < 0 || headerKeyLength < 0) {
      return false;
    }
    headerKeyPosition = at;
    at += headerKeyLength;
    headerValueLength = readLength();
    headerValuePosition = at;
    return at >= 0;
  }

  /** Reads a length of -1 or more that fits in front of the end; else {@code at} is negative. */
  private int readLength() {
    int length = readVarint();
    if (at >= 0 && (length < NULL_LENGTH || length > end - at)) {
      at = -1;
    }
    return length;
  }

  /** Reads a zig-zag varint; where it has more than five bytes or passes the end, at is -1. */
  private int readVarint() {
    int from = at;
    if (from < 0 || from >= end) {
      at = -1;
      return 0;
    }
    byte first = buffer.get(from);
    if (first >= 0) {
      at = from + 1;
      return (first >>> 1) ^ -(first & 1);
    }
    return readLongVarint(from, first);
  }

  private int readLongVarint(int from, byte first) {
    int raw = first & 0x7f;
    int next = from + 1;
    for (int shift = 7; shift <= 28; shift += 7) {
      if (next >= end) {
        break;
      }
      byte part = buffer.get(next++);
      raw |= (part & 0x7f) << shift;
      if (part >= 0) {
        at = next;
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    at = -1;
    return 0;
  }

  private long readVarlong() {
    long raw = 0;
    int next = at;
    for (int shift = 0; shift <= 63; shift += 7) {
      if (next >= end) {
        break;
      }
      byte part = buffer.get(next++);
      raw |= (long) (part & 0x7f) << shift;
      if (part >= 0) {
        at = next;
        return (raw >>> 1) ^ -(raw & 1);
      }
    }
    at = -1;
    return 0;
  }
}
