package io.weirmq.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the protocol's types from a buffer that nobody has checked yet.
 *
 * <p>Nothing is allocated by what a length or count claims: a length must fit into the bytes that
 * remain, and a count is refused where its elements, at their smallest, would not. Whatever is
 * wrong becomes a {@link ProtocolException} that names message, field and position. Big-endian.
 * Confined to one thread.
 *
 * <p>{@code flexible} selects between the compact form of a length (length + 1 as an unsigned
 * varint, 0 for null) and the older one (int16 or int32, −1 for null).
 */
public final class ProtocolReader {

  /** A varint of 32 bits has five bytes at most. */
  private static final int VARINT_BYTES_MAX = 5;

  private final ByteBuffer buffer;
  private final @Nullable StringInterner interner;
  private final int limit;
  private int position;
  private String messageName = "frame";
  private int version = -1;

  /**
   * Makes a reader of a buffer, from its position to its limit.
   *
   * @param buffer borrowed, big-endian; neither its position nor its limit is moved
   */
  public ProtocolReader(ByteBuffer buffer) {
    this(buffer, null);
  }

  /**
   * Makes a reader that takes repeated names from a table.
   *
   * @param buffer borrowed, big-endian; neither its position nor its limit is moved
   * @param interner for topic names; null to make each string anew
   */
  public ProtocolReader(ByteBuffer buffer, @Nullable StringInterner interner) {
    this.buffer = buffer;
    this.interner = interner;
    this.position = buffer.position();
    this.limit = buffer.limit();
  }

  /** The number of bytes that are not read yet. */
  public int remaining() {
    return limit - position;
  }

  /** The place of the next byte in the buffer. */
  public int position() {
    return position;
  }

  /**
   * Says which message comes next, for errors.
   *
   * @throws ProtocolException where the version does not exist
   */
  public void beginMessage(String name, short messageVersion, short lowest, short highest)
      throws ProtocolException {
    this.messageName = name;
    this.version = messageVersion;
    if (messageVersion < lowest || messageVersion > highest) {
      throw new ProtocolException(
          "%s has no version %d; versions are %d to %d"
              .formatted(name, messageVersion, lowest, highest));
    }
  }

  /**
   * Checks that the message filled its frame.
   *
   * @throws ProtocolException where bytes are left
   */
  public void endMessage() throws ProtocolException {
    if (position < limit) {
      throw new ProtocolException(
          "%s: the message ends at position %d, but %d more bytes follow"
              .formatted(messageText(), position, remaining()));
    }
  }

  /** Reads a byte that must be 0 or 1; any other value counts as true, as it does elsewhere. */
  public boolean readBoolean(String field) throws ProtocolException {
    return readInt8(field) != 0;
  }

  /** Reads one byte. */
  public byte readInt8(String field) throws ProtocolException {
    return buffer.get(advance(1, field));
  }

  /** Reads two bytes, signed. */
  public short readInt16(String field) throws ProtocolException {
    return buffer.getShort(advance(2, field));
  }

  /** Reads two bytes, unsigned. */
  public int readUint16(String field) throws ProtocolException {
    return buffer.getShort(advance(2, field)) & 0xFFFF;
  }

  /** Reads four bytes, signed. */
  public int readInt32(String field) throws ProtocolException {
    return buffer.getInt(advance(4, field));
  }

  /** Reads four bytes, unsigned. */
  public long readUint32(String field) throws ProtocolException {
    return buffer.getInt(advance(4, field)) & 0xFFFF_FFFFL;
  }

  /** Reads eight bytes, signed. */
  public long readInt64(String field) throws ProtocolException {
    return buffer.getLong(advance(8, field));
  }

  /** Reads a double. */
  public double readFloat64(String field) throws ProtocolException {
    return buffer.getDouble(advance(8, field));
  }

  /** Reads an id of 16 bytes. */
  public UUID readUuid(String field) throws ProtocolException {
    int at = advance(16, field);
    long high = buffer.getLong(at);
    long low = buffer.getLong(at + 8);
    return (high | low) == 0 ? Uuids.ZERO : new UUID(high, low);
  }

  /** Reads an unsigned varint of 32 bits. */
  public int readUnsignedVarint(String field) throws ProtocolException {
    int start = position;
    int value = 0;
    for (int i = 0; i < VARINT_BYTES_MAX; i++) {
      int b = readInt8(field);
      value |= (b & 0x7F) << (7 * i);
      if (b >= 0) {
        if (i == VARINT_BYTES_MAX - 1 && b > 0x0F) {
          break;
        }
        return value;
      }
    }
    throw bad(field, start, "a varint of 32 bits", "more bits");
  }

  /** Reads a string. */
  public String readString(String field, boolean flexible) throws ProtocolException {
    return string(field, stringLength(field, flexible));
  }

  /** Reads a string that may be null. */
  public @Nullable String readNullableString(String field, boolean flexible)
      throws ProtocolException {
    int length = nullableStringLength(field, flexible);
    return length < 0 ? null : string(field, length);
  }

  /** Reads a string that is likely to come again, such as the name of a topic. */
  public String readName(String field, boolean flexible) throws ProtocolException {
    return name(field, stringLength(field, flexible));
  }

  /** Reads a string that may be null and is likely to come again. */
  public @Nullable String readNullableName(String field, boolean flexible)
      throws ProtocolException {
    int length = nullableStringLength(field, flexible);
    return length < 0 ? null : name(field, length);
  }

  /** Reads bytes into an array of their own. */
  public byte[] readBytes(String field, boolean flexible) throws ProtocolException {
    int start = position;
    return bytes(field, notNull(field, start, blobLength(field, flexible)));
  }

  /** Reads bytes that may be null into an array of their own. */
  public byte @Nullable [] readNullableBytes(String field, boolean flexible)
      throws ProtocolException {
    int length = blobLength(field, flexible);
    return length < 0 ? null : bytes(field, length);
  }

  /** Reads records as a slice of the buffer. */
  public RecordsData readRecords(String field, boolean flexible) throws ProtocolException {
    int start = position;
    return records(field, notNull(field, start, blobLength(field, flexible)));
  }

  /** Reads records that may be null as a slice of the buffer. */
  public @Nullable RecordsData readNullableRecords(String field, boolean flexible)
      throws ProtocolException {
    int length = blobLength(field, flexible);
    return length < 0 ? null : records(field, length);
  }

  /**
   * Reads the number of elements of an array.
   *
   * @param elementBytesMin the fewest bytes an element takes, above 0
   * @return a count whose elements fit into the remaining bytes
   */
  public int readArrayCount(String field, boolean flexible, int elementBytesMin)
      throws ProtocolException {
    int start = position;
    return notNull(field, start, readNullableArrayCount(field, flexible, elementBytesMin));
  }

  /**
   * Reads the number of elements of an array that may be null.
   *
   * @param elementBytesMin the fewest bytes an element takes, above 0
   * @return a count whose elements fit into the remaining bytes, or −1 for null
   */
  public int readNullableArrayCount(String field, boolean flexible, int elementBytesMin)
      throws ProtocolException {
    int start = position;
    int count = length(field, flexible ? readUnsignedVarint(field) - 1 : readInt32(field), start);
    if ((long) count * elementBytesMin > remaining()) {
      throw bad(
          field,
          start,
          "an array within the %d bytes that remain".formatted(remaining()),
          "%d elements of at least %d bytes".formatted(count, elementBytesMin));
    }
    return count;
  }

  /** Reads the byte before a struct that may be null; false where it is. */
  public boolean readStructMarker(String field) throws ProtocolException {
    return readInt8(field) >= 0;
  }

  /** Reads the number of tagged fields of a struct. */
  public int readTagCount(String struct) throws ProtocolException {
    int start = position;
    int count = readUnsignedVarint(struct);
    // A tag and a size take one byte each at least.
    if (count < 0 || count > remaining() / 2) {
      throw bad(
          struct,
          start,
          "tagged fields within the %d bytes that remain".formatted(remaining()),
          Integer.toUnsignedString(count) + " of them");
    }
    return count;
  }

  /** Reads the tag of a tagged field. */
  public int readTag(String struct) throws ProtocolException {
    return readUnsignedVarint(struct);
  }

  /** Reads the size of a tagged field, and returns the position behind it. */
  public int readTagEnd(String struct) throws ProtocolException {
    int start = position;
    int size = readUnsignedVarint(struct);
    if (size < 0 || size > remaining()) {
      throw bad(
          struct,
          start,
          "a tagged field within the %d bytes that remain".formatted(remaining()),
          Integer.toUnsignedString(size) + " bytes");
    }
    return position + size;
  }

  /** Checks that a tagged field had the size that stood before it. */
  public void endTag(String struct, int tag, int end) throws ProtocolException {
    if (position != end) {
      throw bad(struct, position, "the end of tag %d at %d".formatted(tag, end), "other bytes");
    }
  }

  /** Passes over a tagged field. */
  public void skipTo(int end) {
    position = end;
  }

  /** Passes over all tagged fields of a struct that knows none. */
  public void skipTaggedFields(String struct) throws ProtocolException {
    int count = readTagCount(struct);
    for (int i = 0; i < count; i++) {
      readTag(struct);
      position = readTagEnd(struct);
    }
  }

  private int advance(int byteCount, String field) throws ProtocolException {
    int at = position;
    if (limit - at < byteCount) {
      throw bad(field, at, byteCount + " bytes", remaining() + " bytes");
    }
    position = at + byteCount;
    return at;
  }

  private int stringLength(String field, boolean flexible) throws ProtocolException {
    int start = position;
    return notNull(field, start, nullableStringLength(field, flexible));
  }

  private int nullableStringLength(String field, boolean flexible) throws ProtocolException {
    int start = position;
    int length = flexible ? readUnsignedVarint(field) - 1 : readInt16(field);
    return fitting(field, length(field, length, start), start);
  }

  private int blobLength(String field, boolean flexible) throws ProtocolException {
    int start = position;
    int length = flexible ? readUnsignedVarint(field) - 1 : readInt32(field);
    return fitting(field, length(field, length, start), start);
  }

  private int length(String field, int length, int start) throws ProtocolException {
    if (length < -1) {
      throw bad(field, start, "a length of -1 or more", Integer.toString(length));
    }
    return length;
  }

  private int fitting(String field, int length, int start) throws ProtocolException {
    if (length > remaining()) {
      throw bad(
          field,
          start,
          "a length within the %d bytes that remain".formatted(remaining()),
          Integer.toString(length));
    }
    return length;
  }

  private int notNull(String field, int start, int length) throws ProtocolException {
    if (length < 0) {
      throw bad(field, start, "a value", "null");
    }
    return length;
  }

  private byte[] bytes(String field, int length) throws ProtocolException {
    byte[] copy = new byte[length];
    buffer.get(advance(length, field), copy);
    return copy;
  }

  private RecordsData records(String field, int length) throws ProtocolException {
    return length == 0
        ? RecordsData.empty()
        : RecordsData.of(buffer.slice(advance(length, field), length));
  }

  private String name(String field, int length) throws ProtocolException {
    if (interner != null) {
      String known = interner.intern(buffer, position, length);
      if (known != null) {
        position += length;
        return known;
      }
    }
    return string(field, length);
  }

  private String string(String field, int length) throws ProtocolException {
    if (length == 0) {
      return "";
    }
    int start = position;
    byte[] encoded = bytes(field, length);
    int allBits = 0;
    for (byte b : encoded) {
      allBits |= b;
    }
    if (allBits >= 0) {
      return new String(encoded, StandardCharsets.ISO_8859_1);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(encoded)).toString();
    } catch (CharacterCodingException e) {
      throw bad(field, start, "a string in UTF-8", e.toString());
    }
  }

  private ProtocolException bad(String field, int at, String expected, String found) {
    return new ProtocolException(
        "%s: field %s at position %d: expected %s, found %s"
            .formatted(messageText(), field, at, expected, found));
  }

  private String messageText() {
    return version < 0 ? messageName : messageName + " v" + version;
  }
}
