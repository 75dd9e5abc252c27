package io.weirmq.storage.compress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.jpountz.xxhash.StreamingXXHash32;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.jspecify.annotations.Nullable;

/**
 * One frame of LZ4.
 *
 * <pre>
 *   magic 0x184D2204 (all numbers little-endian)
 *   FLG   bits 7-6 version 1, 5 independent blocks, 4 block checksums, 3 content size,
 *         2 content checksum, 0 dictionary id
 *   BD    bits 6-4 largest block: 4 64 KiB, 5 256 KiB, 6 1 MiB, 7 4 MiB
 *   content size 8 bytes and dictionary id 4 bytes where FLG says so
 *   HC    second byte of xxh32 over FLG to here
 *   per block: length uint32 (top bit: not compressed), bytes, xxh32 where FLG says so
 *   0 uint32, xxh32 over the content where FLG says so
 * </pre>
 *
 * <p>Blocks must be independent, as every Kafka client writes them. The format is described at <a
 * href="https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md">lz4_Frame_format.md</a>.
 */
final class Lz4FrameInput extends BlockInput {

  private static final int MAGIC = 0x184D2204;
  private static final int VERSION_MASK = 0xc0;
  private static final int VERSION_1 = 0x40;
  private static final int INDEPENDENT_BIT = 0x20;
  private static final int BLOCK_CHECKSUM_BIT = 0x10;
  private static final int CONTENT_SIZE_BIT = 0x08;
  private static final int CONTENT_CHECKSUM_BIT = 0x04;
  private static final int DICTIONARY_BIT = 0x01;
  private static final int UNCOMPRESSED_BIT = 0x80000000;

  // A length byte of 255 stands for 255 bytes of a match, and nothing is denser.
  private static final int RATIO_MAX = 255;
  private static final int RATIO_SLACK_BYTES = 64;

  private final ByteBuffer source;
  private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();
  private final XXHash32 hash = XXHashFactory.fastestInstance().hash32();
  private final int blockBytesMax;
  private final boolean hasBlockChecksums;
  private final @Nullable StreamingXXHash32 contentHash;

  private boolean atEnd;

  Lz4FrameInput(ByteBuffer block, BufferPool pool) throws IOException {
    super(pool);
    source = block.order(ByteOrder.LITTLE_ENDIAN);
    require(Integer.BYTES + 3, "frame header");
    int magic = source.getInt();
    if (magic != MAGIC) {
      throw new IOException("magic is 0x%08x; expected 0x%08x".formatted(magic, MAGIC));
    }
    int start = source.position();
    int flags = source.get() & 0xff;
    int sizes = source.get() & 0xff;
    checkFlags(flags);
    blockBytesMax = blockBytesMax(sizes);
    hasBlockChecksums = (flags & BLOCK_CHECKSUM_BIT) != 0;
    contentHash =
        (flags & CONTENT_CHECKSUM_BIT) == 0
            ? null
            : XXHashFactory.fastestInstance().newStreamingHash32(0);
    int sizeBytes = (flags & CONTENT_SIZE_BIT) == 0 ? 0 : Long.BYTES;
    require(sizeBytes + 1, "frame header");
    source.position(source.position() + sizeBytes);
    int computed = (hash.hash(source, start, source.position() - start, 0) >> 8) & 0xff;
    int stored = source.get() & 0xff;
    if (computed != stored) {
      throw new IOException(
          "header checksum mismatch: expected 0x%02x (stored), computed 0x%02x"
              .formatted(stored, computed));
    }
  }

  @Override
  int fill() throws IOException {
    if (atEnd) {
      return -1;
    }
    require(Integer.BYTES, "block length");
    int word = source.getInt();
    if (word == 0) {
      atEnd = true;
      checkContent();
      return -1;
    }
    int length = word & ~UNCOMPRESSED_BIT;
    if (length > blockBytesMax) {
      throw new IOException(
          "block claims %d bytes; the frame allows %d".formatted(length, blockBytesMax));
    }
    require(length + (hasBlockChecksums ? Integer.BYTES : 0), "block");
    int position = source.position();
    source.position(position + length);
    if (hasBlockChecksums) {
      compare("block", source.getInt(), hash.hash(source, position, length, 0));
    }
    int count =
        (word & UNCOMPRESSED_BIT) == 0 ? decompress(position, length) : copy(position, length);
    if (contentHash != null) {
      contentHash.update(block(count), 0, count);
    }
    return count;
  }

  @Override
  public void close() {
    super.close();
    if (contentHash != null) {
      contentHash.close();
    }
  }

  private int copy(int position, int length) {
    source.get(position, block(length), 0, length);
    return length;
  }

  private int decompress(int position, int length) {
    int bound = Math.min(blockBytesMax, length * RATIO_MAX + RATIO_SLACK_BYTES);
    if (length > blockBytesMax / RATIO_MAX) {
      bound = blockBytesMax;
    }
    ByteBuffer target = ByteBuffer.wrap(block(bound));
    return decompressor.decompress(source, position, length, target, 0, bound);
  }

  private void checkContent() throws IOException {
    if (contentHash != null) {
      require(Integer.BYTES, "content checksum");
      compare("content", source.getInt(), contentHash.getValue());
    }
  }

  private void require(int bytes, String what) throws IOException {
    if (source.remaining() < bytes) {
      throw new IOException(
          "%s is cut: %d bytes expected, %d remain".formatted(what, bytes, source.remaining()));
    }
  }

  private static void checkFlags(int flags) throws IOException {
    if ((flags & VERSION_MASK) != VERSION_1) {
      throw new IOException("frame version is %d; expected 1".formatted(flags >>> 6));
    }
    if ((flags & INDEPENDENT_BIT) == 0 || (flags & DICTIONARY_BIT) != 0) {
      throw new IOException("frame needs dependent blocks or a dictionary; neither is supported");
    }
  }

  private static int blockBytesMax(int sizes) throws IOException {
    int code = (sizes >>> 4) & 0x07;
    if (code < 4) {
      throw new IOException("block size code is %d; expected 4 to 7".formatted(code));
    }
    return 1 << (8 + 2 * code);
  }

  private static void compare(String what, int stored, int computed) throws IOException {
    if (stored != computed) {
      throw new IOException(
          "%s checksum mismatch: expected 0x%08x (stored), computed 0x%08x"
              .formatted(what, stored, computed));
    }
  }
}
