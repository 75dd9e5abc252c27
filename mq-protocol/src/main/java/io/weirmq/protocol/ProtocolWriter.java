package io.weirmq.protocol;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the protocol's types in one pass, into a buffer that grows.
 *
 * <p>Records are not copied: what was written so far becomes a part of the frame, the records' own
 * buffers or file slices become the next parts, and writing goes on behind the first part in the
 * same buffer. A tagged field is written behind one byte of room for its size, and moved in the
 * rare case that the size needs more. Big-endian. Confined to one thread, for one frame.
 *
 * <p>{@code flexible} selects between the compact form of a length and the older one, as for {@link
 * ProtocolReader}.
 */
public final class ProtocolWriter {

  private static final int INITIAL_BYTES = 512;

  /** A frame's length is an int32; some room stays for the array's header. */
  private static final int BYTES_MAX = Integer.MAX_VALUE - 64;

  /** A varint of 32 bits has five bytes at most. */
  private static final int VARINT_BYTES_MAX = 5;

  private static final Runnable NOTHING_TO_RELEASE = () -> {};

  private static final VarHandle INT16 = view(short[].class);
  private static final VarHandle INT32 = view(int[].class);
  private static final VarHandle INT64 = view(long[].class);
  private static final VarHandle FLOAT64 = view(double[].class);

  private final List<OutboundPart> parts = new ArrayList<>(4);
  private byte[] bytes;
  private int position;
  private int partStart;
  private long partsBytes;

  /** Makes a writer with room for a small message. */
  public ProtocolWriter() {
    this(INITIAL_BYTES);
  }

  /**
   * Makes a writer.
   *
   * @param initialBytes room to begin with, above 0
   */
  public ProtocolWriter(int initialBytes) {
    this.bytes = new byte[initialBytes];
  }

  /** The number of bytes written so far, records included. */
  public long lengthBytes() {
    return partsBytes + position - partStart;
  }

  /**
   * Ends writing; the writer must not be used again.
   *
   * @return a frame that owns all that was written; it releases the file slices
   */
  public OutboundFrame toFrame() {
    return toFrame(NOTHING_TO_RELEASE);
  }

  /**
   * Ends writing; the writer must not be used again.
   *
   * @param onRelease run once after the frame was sent or dropped; gives the records' buffers back
   * @return a frame that owns all that was written; it releases the file slices
   */
  public OutboundFrame toFrame(Runnable onRelease) {
    sealPart();
    return new OutboundFrame(parts, onRelease);
  }

  /**
   * Ends writing; the writer must not be used again.
   *
   * @return all bytes in one buffer, without a copy where no records were written
   * @throws IllegalStateException where file slices were written
   */
  public ByteBuffer toBuffer() {
    sealPart();
    if (parts.size() == 1 && parts.get(0) instanceof OutboundPart.Bytes only) {
      return only.buffer();
    }
    ByteBuffer whole = ByteBuffer.allocate(Math.toIntExact(partsBytes));
    for (OutboundPart part : parts) {
      if (!(part instanceof OutboundPart.Bytes bytes)) {
        throw new IllegalStateException("a message with file slices cannot become one buffer");
      }
      whole.put(bytes.buffer().duplicate());
    }
    return whole.flip();
  }

  /**
   * Says which message comes next.
   *
   * @throws UnsupportedVersionException where the version does not exist
   */
  public void beginMessage(String name, short version, short lowest, short highest) {
    if (version < lowest || version > highest) {
      throw new UnsupportedVersionException(name, version, lowest, highest);
    }
  }

  /** Writes 1 or 0 as one byte. */
  public void writeBoolean(boolean value) {
    writeInt8((byte) (value ? 1 : 0));
  }

  /** Writes one byte. */
  public void writeInt8(byte value) {
    int at = advance(1);
    bytes[at] = value;
  }

  /** Writes two bytes. */
  public void writeInt16(short value) {
    int at = advance(2);
    INT16.set(bytes, at, value);
  }

  /**
   * Writes two bytes, unsigned.
   *
   * @throws IllegalArgumentException where the value is not in 0 to 65535
   */
  public void writeUint16(int value) {
    if (value < 0 || value > 0xFFFF) {
      throw new IllegalArgumentException("a uint16 is 0 to 65535, found " + value);
    }
    writeInt16((short) value);
  }

  /** Writes four bytes. */
  public void writeInt32(int value) {
    int at = advance(4);
    INT32.set(bytes, at, value);
  }

  /**
   * Writes four bytes, unsigned.
   *
   * @throws IllegalArgumentException where the value is not in 0 to 4294967295
   */
  public void writeUint32(long value) {
    if (value < 0 || value > 0xFFFF_FFFFL) {
      throw new IllegalArgumentException("a uint32 is 0 to 4294967295, found " + value);
    }
    writeInt32((int) value);
  }

  /** Writes eight bytes. */
  public void writeInt64(long value) {
    int at = advance(8);
    INT64.set(bytes, at, value);
  }

  /** Writes a double. */
  public void writeFloat64(double value) {
    int at = advance(8);
    FLOAT64.set(bytes, at, value);
  }

  /** Writes an id of 16 bytes. */
  public void writeUuid(UUID value) {
    writeInt64(value.getMostSignificantBits());
    writeInt64(value.getLeastSignificantBits());
  }

  /** Writes an unsigned varint of 32 bits in its shortest form. */
  public void writeUnsignedVarint(int value) {
    room(VARINT_BYTES_MAX);
    position = putVarint(position, value);
  }

  /**
   * Writes a string.
   *
   * @throws IllegalArgumentException where it is longer than the length's form can say
   */
  public void writeString(String value, boolean flexible) {
    int encodedBytes = Utf8.lengthOf(value);
    if (flexible) {
      writeUnsignedVarint(encodedBytes + 1);
    } else {
      if (encodedBytes > Short.MAX_VALUE) {
        throw new IllegalArgumentException(
            "a string of %d bytes; the limit is %d".formatted(encodedBytes, Short.MAX_VALUE));
      }
      writeInt16((short) encodedBytes);
    }
    int at = advance(encodedBytes);
    Utf8.put(value, encodedBytes, bytes, at);
  }

  /** Writes a string or null. */
  public void writeNullableString(@Nullable String value, boolean flexible) {
    if (value != null) {
      writeString(value, flexible);
    } else if (flexible) {
      writeUnsignedVarint(0);
    } else {
      writeInt16((short) -1);
    }
  }

  /** Writes bytes; copied. */
  public void writeBytes(byte[] value, boolean flexible) {
    writeLength(value.length, flexible);
    int at = advance(value.length);
    System.arraycopy(value, 0, bytes, at, value.length);
  }

  /** Writes bytes or null; copied. */
  public void writeNullableBytes(byte @Nullable [] value, boolean flexible) {
    if (value == null) {
      writeLength(-1, flexible);
    } else {
      writeBytes(value, flexible);
    }
  }

  /**
   * Writes records; not copied.
   *
   * @param value its buffers and file slices become parts of the frame
   */
  public void writeRecords(RecordsData value, boolean flexible) {
    writeLength(Math.toIntExact(value.sizeInBytes()), flexible);
    if (value instanceof RecordsData.Files files) {
      sealPart();
      for (FileSlice slice : files.slices()) {
        addPart(slice);
      }
    } else if (value instanceof RecordsData.Buffers memory && !memory.isEmpty()) {
      sealPart();
      for (ByteBuffer records : memory.buffers()) {
        addPart(new OutboundPart.Bytes(records.duplicate()));
      }
    }
  }

  /** Writes records or null; not copied. */
  public void writeNullableRecords(@Nullable RecordsData value, boolean flexible) {
    if (value == null) {
      writeLength(-1, flexible);
    } else {
      writeRecords(value, flexible);
    }
  }

  /** Writes the number of elements of an array. */
  public void writeArrayCount(int count, boolean flexible) {
    writeLength(count, flexible);
  }

  /** Writes an array that is null. */
  public void writeNullArray(boolean flexible) {
    writeLength(-1, flexible);
  }

  /** Writes the byte before a struct that may be null. */
  public void writeStructMarker(boolean present) {
    writeInt8((byte) (present ? 1 : -1));
  }

  /**
   * Begins a tagged field.
   *
   * @return what {@link #endTag} needs
   */
  public int beginTag(int tag) {
    writeUnsignedVarint(tag);
    writeInt8((byte) 0);
    return position - partStart;
  }

  /**
   * Ends a tagged field: puts its size before it.
   *
   * @param start what {@link #beginTag} returned
   */
  public void endTag(int start) {
    int size = position - partStart - start;
    int extra = varintBytes(size) - 1;
    advance(extra);
    int contentStart = partStart + start;
    if (extra > 0) {
      System.arraycopy(bytes, contentStart, bytes, contentStart + extra, size);
    }
    putVarint(contentStart - 1, size);
  }

  /** Puts a varint where there is room, and returns the place behind it. */
  private int putVarint(int start, int value) {
    int at = start;
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
    return at;
  }

  private static int varintBytes(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  private void writeLength(int length, boolean flexible) {
    if (flexible) {
      writeUnsignedVarint(length + 1);
    } else {
      writeInt32(length);
    }
  }

  /** Ends the part that is being written; the next one goes behind it in the same memory. */
  private void sealPart() {
    int length = position - partStart;
    if (length > 0) {
      addPart(new OutboundPart.Bytes(ByteBuffer.wrap(bytes, partStart, length).slice()));
      partStart = position;
    }
  }

  private void addPart(OutboundPart part) {
    parts.add(part);
    partsBytes += part.lengthBytes();
  }

  /** Makes room, and returns the place of the first of the bytes that the caller writes now. */
  private int advance(int byteCount) {
    room(byteCount);
    int at = position;
    position = at + byteCount;
    return at;
  }

  private void room(int byteCount) {
    if (bytes.length - position < byteCount) {
      grow(byteCount);
    }
  }

  /** Moves the part that is being written to a larger array; sealed parts keep the old one. */
  private void grow(int byteCount) {
    int written = position - partStart;
    long needed = (long) written + byteCount;
    if (needed > BYTES_MAX) {
      throw new IllegalArgumentException(
          "a message of %d bytes; the limit is %d".formatted(needed, BYTES_MAX));
    }
    byte[] larger = new byte[(int) Math.min(BYTES_MAX, Math.max(INITIAL_BYTES, needed * 2))];
    System.arraycopy(bytes, partStart, larger, 0, written);
    bytes = larger;
    partStart = 0;
    position = written;
  }

  private static VarHandle view(Class<?> arrayType) {
    return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.BIG_ENDIAN);
  }
}
