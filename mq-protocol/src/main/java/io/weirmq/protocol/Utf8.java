package io.weirmq.protocol;

import java.nio.charset.StandardCharsets;

/** Encodes strings without garbage where they are ASCII, as nearly all are. Stateless. */
final class Utf8 {

  private Utf8() {}

  /** The number of bytes of the encoded string; a lone surrogate becomes one byte, a "?". */
  static int lengthOf(String value) {
    int length = value.length();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        if (c < 0x800) {
          length += 1;
        } else if (!Character.isSurrogate(c)) {
          length += 2;
        } else if (Character.isHighSurrogate(c)
            && i + 1 < value.length()
            && Character.isLowSurrogate(value.charAt(i + 1))) {
          length += 2;
          i++;
        }
      }
    }
    return length;
  }

  /**
   * Puts the encoded string into an array that has room.
   *
   * @param encodedBytes what {@link #lengthOf} returned
   * @param start place of its first byte
   */
  static void put(String value, int encodedBytes, byte[] out, int start) {
    if (encodedBytes != value.length() || hasLoneSurrogate(value)) {
      System.arraycopy(value.getBytes(StandardCharsets.UTF_8), 0, out, start, encodedBytes);
      return;
    }
    for (int i = 0; i < encodedBytes; i++) {
      out[start + i] = (byte) value.charAt(i);
    }
  }

  /** Only a lone surrogate makes a string of other than ASCII as long as its encoding. */
  private static boolean hasLoneSurrogate(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) >= 0x80) {
        return true;
      }
    }
    return false;
  }
}
