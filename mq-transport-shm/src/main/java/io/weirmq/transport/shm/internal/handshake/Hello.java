package io.weirmq.transport.shm.internal.handshake;

import io.weirmq.transport.shm.internal.folder.RingSizes;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The first message, from the connecting side; 16 bytes, big-endian:
 *
 * <pre>
 *   0   6   "WeirMQ"
 *   6   2   version of the handshake and of the memory's layout
 *   8   4   wanted capacity of the ring to the listening side
 *   12  4   wanted capacity of the ring to the connecting side
 * </pre>
 *
 * @param wanted sizes as they were asked for, unchecked
 */
record Hello(RingSizes wanted) {

  static final int BYTES = 16;

  /** "WeirMQ" and version 1. */
  static final long MAGIC = 0x57_65_69_72_4d_51_00_01L;

  private static final long MAGIC_MASK = ~0xffffL;

  ByteBuffer encode() {
    return ByteBuffer.allocate(BYTES)
        .putLong(MAGIC)
        .putInt(wanted.toServerBytes())
        .putInt(wanted.toClientBytes())
        .flip();
  }

  /**
   * Reads a message.
   *
   * @throws IOException where it is none, or of another version
   */
  static Hello decode(ByteBuffer message) throws IOException {
    requireMagic(message.getLong());
    return new Hello(new RingSizes(message.getInt(), message.getInt()));
  }

  static void requireMagic(long found) throws IOException {
    if (found == MAGIC) {
      return;
    }
    if ((found & MAGIC_MASK) == (MAGIC & MAGIC_MASK)) {
      throw new IOException(
          "the peer speaks version %d of the shared-memory transport; expected %d"
              .formatted(found & ~MAGIC_MASK, MAGIC & ~MAGIC_MASK));
    }
    throw new IOException("handshake begins with %016x; expected %016x".formatted(found, MAGIC));
  }
}
