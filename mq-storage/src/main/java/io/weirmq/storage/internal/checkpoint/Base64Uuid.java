package io.weirmq.storage.internal.checkpoint;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/** Ids as Kafka's files write them: 16 bytes in URL-safe base64 without padding, 22 characters. */
final class Base64Uuid {

  private static final int BYTES = 16;

  private Base64Uuid() {}

  static String format(UUID id) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  static Optional<UUID> parse(String text) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
      return bytes.remaining() == BYTES
          ? Optional.of(new UUID(bytes.getLong(), bytes.getLong()))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
