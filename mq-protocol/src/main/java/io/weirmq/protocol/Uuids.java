package io.weirmq.protocol;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;

/** The text form of ids in the protocol's tools: 22 characters of URL-safe base64. Stateless. */
public final class Uuids {

  /** The id that means "none". */
  public static final UUID ZERO = new UUID(0, 0);

  /** Marks the first log of the metadata quorum; no topic has this id. */
  public static final UUID ONE = new UUID(0, 1);

  private static final int TEXT_LENGTH = 22;

  private Uuids() {}

  /** The 22 characters of an id. */
  public static String toText(UUID id) {
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /**
   * The id that a text stands for.
   *
   * @throws IllegalArgumentException where the text is not 22 characters of URL-safe base64
   */
  public static UUID fromText(String text) {
    if (text.length() != TEXT_LENGTH) {
      throw new IllegalArgumentException(
          "an id has %d characters, found %d: \"%s\"".formatted(TEXT_LENGTH, text.length(), text));
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
    return new UUID(bytes.getLong(), bytes.getLong());
  }
}
