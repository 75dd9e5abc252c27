package io.weirmq.storage.compress;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.weirmq.storage.CompressionType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;

/**
 * Opens compressed blocks for reading in pieces.
 *
 * <p>What a block claims about its own size is never allocated: memory grows with the bytes that
 * really come out, and a block that holds more than the limit fails while it is read. The largest
 * piece at once is one block of the codec (LZ4 4 MiB, Zstandard's window 128 MiB of address space,
 * Snappy 22 times the compressed bytes).
 *
 * <p>Safe for use by several threads; what it opens is confined to one.
 */
public final class Decompressor {

  /**
   * Decompressed bytes of one batch by default: a hundred times the largest batch of Kafka's
   * default configuration.
   */
  public static final long LIMIT_BYTES_DEFAULT = 128L * 1024 * 1024;

  // RFC 8878 suggests to support windows of 8 MiB; Kafka's clients write and read up to 128 MiB.
  private static final int ZSTD_WINDOW_LOG_MAX = 27;

  private static final int GZIP_INPUT_BYTES = 8 * 1024;

  private final BufferPool pool;
  private final long limitBytes;

  /** Makes a decompressor with a pool and limit of default size. */
  public Decompressor() {
    this(new BufferPool(), LIMIT_BYTES_DEFAULT);
  }

  /**
   * Makes a decompressor.
   *
   * @param pool where working memory comes from
   * @param limitBytes decompressed bytes that one block may hold, 1 or more
   */
  public Decompressor(BufferPool pool, long limitBytes) {
    if (limitBytes < 1) {
      throw new IllegalArgumentException("limitBytes is " + limitBytes + "; at least 1");
    }
    this.pool = pool;
    this.limitBytes = limitBytes;
  }

  /** The pool that working memory comes from. */
  public BufferPool pool() {
    return pool;
  }

  /** Decompressed bytes that one block may hold. */
  public long limitBytes() {
    return limitBytes;
  }

  /**
   * Opens a block.
   *
   * @param codec any; {@link CompressionType#NONE} gives the bytes as they are
   * @param block from position to limit, which are left as they are; borrowed until the result is
   *     closed
   * @return to be closed by the caller
   * @throws DecompressionException where the block has a malformed beginning
   */
  public DecompressedInput open(CompressionType codec, ByteBuffer block)
      throws DecompressionException {
    ByteBuffer source = block.duplicate();
    try {
      return new DecompressedInput(codec, openCodec(codec, source), limitBytes);
    } catch (IOException | RuntimeException e) {
      throw DecompressionException.malformed(codec, e);
    }
  }

  private InputStream openCodec(CompressionType codec, ByteBuffer source) throws IOException {
    return switch (codec) {
      case NONE -> new ByteBufferInput(source);
      case GZIP -> new GZIPInputStream(new ByteBufferInput(source), GZIP_INPUT_BYTES);
      case SNAPPY -> new SnappyInput(source, pool);
      case LZ4 -> new Lz4FrameInput(source, pool);
      case ZSTD ->
          new ZstdInputStreamNoFinalizer(new ByteBufferInput(source), new ZstdBuffers(pool))
              .setLongMax(ZSTD_WINDOW_LOG_MAX);
    };
  }
}
