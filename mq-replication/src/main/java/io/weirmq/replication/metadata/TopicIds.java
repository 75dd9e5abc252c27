package io.weirmq.replication.metadata;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.UUID;

/**
 * The text form of topic and cluster ids: the 16 bytes of a UUID as 22 characters of URL-safe
 * base64 without padding, which is how Kafka's files, tools and clients show them.
 */
public final class TopicIds {

  /** Stands for "no id" on the wire. */
  public static final UUID ZERO = new UUID(0, 0);

  private TopicIds() {}

  /**
   * Returns a new id: random, not zero, and without a leading dash, which command-line tools would
   * take for an option.
   */
  public static UUID random() {
    UUID id = UUID.randomUUID();
    while (toText(id).startsWith("-")) {
      id = UUID.randomUUID();
    }
    return id;
  }

  /** Returns the 22 characters of an id. */
  public static String toText(UUID id) {
    byte[] bytes =
        ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Returns the id of 22 characters.
   *
   * @throws IllegalArgumentException where the text is not the base64 of 16 bytes
   */
  public static UUID fromText(String text) {
    byte[] bytes = Base64.getUrlDecoder().decode(text);
    if (bytes.length != 16) {
      throw new IllegalArgumentException(
          "id '%s' has %d bytes, expected 16".formatted(text, bytes.length));
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }
}
