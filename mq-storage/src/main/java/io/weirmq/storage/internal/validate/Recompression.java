package io.weirmq.storage.internal.validate;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.compress.DecompressedInput;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.RecordBatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Stores a batch with another codec. The records inside stay byte for byte what they are; only the
 * block around them, its size, the codec bits and the checksum change.
 *
 * <p>Safe for use by several threads.
 */
final class Recompression {

  private final Decompressor decompressor;
  private final Compressor compressor;

  Recompression(Decompressor decompressor, Compressor compressor) {
    this.decompressor = decompressor;
    this.compressor = compressor;
  }

  /**
   * Returns a new batch.
   *
   * @param batch whole and valid; left as it is
   * @throws IOException where the block can't be read, or exceeds the decompressor's limit
   */
  ByteBuffer apply(RecordBatch batch, CompressionType codec) throws IOException {
    ByteBuffer source = batch.buffer();
    int recordsPosition = batch.position() + RecordBatch.HEADER_BYTES;
    byte[] header = new byte[RecordBatch.HEADER_BYTES];
    source.get(batch.position(), header);
    ByteArrayOutputStream target = new ByteArrayOutputStream(batch.sizeInBytes());
    target.write(header);
    ByteBuffer block =
        source.duplicate().limit(batch.position() + batch.sizeInBytes()).position(recordsPosition);
    try (DecompressedInput input = decompressor.open(batch.compressionType(), block);
        OutputStream output = compressor.open(codec, target)) {
      copy(input, output);
    }
    return stamp(ByteBuffer.wrap(target.toByteArray()), batch.attributes(), codec);
  }

  private void copy(DecompressedInput input, OutputStream output) throws IOException {
    byte[] piece = decompressor.pool().take(1);
    try {
      for (int n = input.read(piece, 0, piece.length);
          n > 0;
          n = input.read(piece, 0, piece.length)) {
        output.write(piece, 0, n);
      }
    } finally {
      decompressor.pool().give(piece);
    }
  }

  private static ByteBuffer stamp(ByteBuffer batch, short attributes, CompressionType codec) {
    int changed = (attributes & ~RecordBatch.COMPRESSION_MASK) | codec.id();
    batch.putInt(RecordBatch.LENGTH_POSITION, batch.limit() - RecordBatch.LOG_OVERHEAD_BYTES);
    batch.putShort(RecordBatch.ATTRIBUTES_POSITION, (short) changed);
    RecordBatch.of(batch).writeCrc();
    return batch;
  }
}
