package io.weirmq.storage.compress;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.xerial.snappy.Snappy;

/**
 * Snappy as Kafka's clients write it: the xerial framing of the Java library, or one plain block.
 *
 * <pre>
 *   xerial: 0x82 "SNAPPY" 0, version int32, compatible version int32,
 *           then per block: length int32, plain block
 * </pre>
 */
final class SnappyInput extends BlockInput {

  private static final long XERIAL_MAGIC = 0x82534e4150505900L;
  private static final int XERIAL_MAGIC_BYTES = 8;
  private static final int XERIAL_VERSION_BYTES = 8;
  private static final int XERIAL_HEADER_BYTES = XERIAL_MAGIC_BYTES + XERIAL_VERSION_BYTES;

  // The densest element, a copy with a two-byte offset, makes 64 bytes of 3.
  private static final int RATIO_MAX = 22;

  private final ByteBuffer source;
  private final boolean framed;

  SnappyInput(ByteBuffer source, BufferPool pool) throws IOException {
    super(pool);
    this.source = source;
    this.framed =
        source.remaining() >= XERIAL_MAGIC_BYTES
            && source.getLong(source.position()) == XERIAL_MAGIC;
    if (framed) {
      skipHeader();
    }
  }

  @Override
  int fill() throws IOException {
    if (!source.hasRemaining()) {
      return -1;
    }
    return framed ? fillFramed() : decompress(source.remaining());
  }

  private int fillFramed() throws IOException {
    // Streams that were glued together have a header in the middle.
    while (source.remaining() >= XERIAL_MAGIC_BYTES
        && source.getLong(source.position()) == XERIAL_MAGIC) {
      skipHeader();
    }
    if (!source.hasRemaining()) {
      return -1;
    }
    if (source.remaining() < Integer.BYTES) {
      throw new IOException("block length is cut after %d bytes".formatted(source.remaining()));
    }
    int length = source.getInt();
    if (length <= 0 || length > source.remaining()) {
      throw new IOException(
          "block claims %d bytes; %d remain".formatted(length, source.remaining()));
    }
    return decompress(length);
  }

  private void skipHeader() throws IOException {
    if (source.remaining() < XERIAL_HEADER_BYTES) {
      throw new IOException("header is cut after %d bytes".formatted(source.remaining()));
    }
    source.position(source.position() + XERIAL_HEADER_BYTES);
  }

  private int decompress(int length) throws IOException {
    int position = source.position();
    source.position(position + length);
    if (source.hasArray()) {
      return decompress(source.array(), source.arrayOffset() + position, length);
    }
    byte[] copy = pool().take(length);
    try {
      source.get(position, copy, 0, length);
      return decompress(copy, 0, length);
    } finally {
      pool().give(copy);
    }
  }

  private int decompress(byte[] compressed, int from, int length) throws IOException {
    int claimed = Snappy.uncompressedLength(compressed, from, length);
    if (claimed < 0 || claimed > (long) length * RATIO_MAX) {
      throw new IOException(
          "block of %d bytes claims to hold %d".formatted(length, Integer.toUnsignedLong(claimed)));
    }
    return Snappy.uncompress(compressed, from, length, block(claimed), 0);
  }
}
