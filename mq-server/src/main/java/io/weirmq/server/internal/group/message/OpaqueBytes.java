package io.weirmq.server.internal.group.message;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Bytes that belong to the members of a group and that the coordinator carries unread:
 * subscriptions and assignments. Immutable, as long as nobody changes the arrays that go in and
 * out.
 */
public final class OpaqueBytes {

  /** No bytes. */
  public static final OpaqueBytes EMPTY = new OpaqueBytes(new byte[0]);

  private static final int SHOWN_BYTES_MAX = 32;

  private final byte[] bytes;

  private OpaqueBytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Wraps an array.
   *
   * @param bytes transferred; must not be changed any more
   */
  public static OpaqueBytes of(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new OpaqueBytes(bytes);
  }

  /** The bytes themselves, borrowed: for reading only. */
  public byte[] array() {
    return bytes;
  }

  /** A read-only view of the bytes, from position 0. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  /** The number of bytes. */
  public int lengthBytes() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OpaqueBytes that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    int shown = Math.min(bytes.length, SHOWN_BYTES_MAX);
    return HexFormat.of().formatHex(bytes, 0, shown) + (shown < bytes.length ? "…" : "");
  }
}
