package io.weirmq.storage.compress;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.weirmq.storage.CompressionType;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.xerial.snappy.SnappyOutputStream;

/**
 * Compresses blocks in the forms that Kafka's clients expect: gzip, xerial-framed Snappy, an LZ4
 * frame of independent 64 KiB blocks, Zstandard; each at its library's default level.
 *
 * <p>Safe for use by several threads; what it opens is confined to one.
 */
public final class Compressor {

  private static final int SNAPPY_BLOCK_BYTES = 32 * 1024;

  private final BufferPool pool;

  /** Makes a compressor with a pool of default size. */
  public Compressor() {
    this(new BufferPool());
  }

  /**
   * Makes a compressor.
   *
   * @param pool where working memory comes from
   */
  public Compressor(BufferPool pool) {
    this.pool = pool;
  }

  /**
   * Opens a block for writing.
   *
   * @param codec any; {@link CompressionType#NONE} passes the bytes on as they are
   * @param target receives the compressed bytes; closed with the result
   * @return to be closed by the caller, which ends the block
   * @throws IOException where the target refuses the first bytes
   */
  public OutputStream open(CompressionType codec, OutputStream target) throws IOException {
    return switch (codec) {
      case NONE -> target;
      case GZIP -> new GZIPOutputStream(target);
      case SNAPPY -> new SnappyOutputStream(target, SNAPPY_BLOCK_BYTES);
      case LZ4 ->
          new LZ4FrameOutputStream(
              target,
              LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB,
              LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE);
      case ZSTD -> new ZstdOutputStreamNoFinalizer(target, new ZstdBuffers(pool));
    };
  }
}
