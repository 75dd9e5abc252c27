package io.weirmq.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Remembers strings that come again and again, so that decoding them makes no garbage.
 *
 * <p>A direct-mapped table of fixed size: a string takes the place of the one that hashes alike, so
 * that a peer that invents names costs no memory. Only short ASCII strings are kept. Safe for use
 * by several threads: a race loses an entry at most, as strings are immutable.
 */
public final class StringInterner {

  /** The longest topic name that the protocol allows. */
  static final int LENGTH_MAX = 249;

  private final @Nullable String[] table;

  /**
   * Makes an empty table.
   *
   * @param capacity number of strings kept, a power of two
   */
  public StringInterner(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity must be a power of two, found " + capacity);
    }
    this.table = new String[capacity];
  }

  /**
   * Returns the string of a range of bytes, or null where it is not worth keeping: too long, or not
   * all ASCII.
   *
   * @param buffer borrowed; read by absolute access
   */
  @Nullable String intern(ByteBuffer buffer, int position, int length) {
    if (length > LENGTH_MAX) {
      return null;
    }
    int hash = 0;
    int allBits = 0;
    for (int i = 0; i < length; i++) {
      byte b = buffer.get(position + i);
      allBits |= b;
      hash = 31 * hash + b;
    }
    if (allBits < 0) {
      return null;
    }
    int slot = (hash ^ (hash >>> 16)) & (table.length - 1);
    String known = table[slot];
    if (known != null && isSame(known, buffer, position, length)) {
      return known;
    }
    String fresh = asciiString(buffer, position, length);
    table[slot] = fresh;
    return fresh;
  }

  private static boolean isSame(String known, ByteBuffer buffer, int position, int length) {
    if (known.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (known.charAt(i) != buffer.get(position + i)) {
        return false;
      }
    }
    return true;
  }

  private static String asciiString(ByteBuffer buffer, int position, int length) {
    byte[] bytes = new byte[length];
    buffer.get(position, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
