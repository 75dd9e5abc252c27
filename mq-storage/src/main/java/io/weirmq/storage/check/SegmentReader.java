package io.weirmq.storage.check;

import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a segment file batch by batch, in one buffer that grows to the largest batch met, at
 * most {@link #BATCH_BYTES_MAX}. Confined to one thread.
 */
public final class SegmentReader implements AutoCloseable {

  /** The largest batch that is read; a larger length is taken for damage. */
  public static final int BATCH_BYTES_MAX = 256 * 1024 * 1024;

  private static final int INITIAL_BYTES = 128 * 1024;

  private final Path file;
  private final FileChannel channel;
  private final long fileBytes;
  private final RecordBatch batch = new RecordBatch();
  private ByteBuffer buffer = ByteBuffer.allocate(INITIAL_BYTES);
  private long bufferPosition;
  private long position;
  private int batchBytes;
  private @Nullable String problem;

  private SegmentReader(Path file, FileChannel channel, long fileBytes) {
    this.file = file;
    this.channel = channel;
    this.fileBytes = fileBytes;
    buffer.limit(0);
  }

  /** Opens a segment file for reading. */
  public static SegmentReader open(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    return new SegmentReader(file, channel, channel.size());
  }

  /**
   * Goes to the next batch.
   *
   * @return false at the end of the file, or where no whole batch with a right checksum lies; see
   *     {@link #problem()}
   * @throws IOException where the file can't be read
   */
  public boolean next() throws IOException {
    position += batchBytes;
    batchBytes = 0;
    long left = fileBytes - position;
    if (problem != null || left == 0) {
      return false;
    }
    if (left < RecordBatch.HEADER_BYTES) {
      return end("%d bytes are left, fewer than a batch header".formatted(left));
    }
    load(RecordBatch.HEADER_BYTES);
    batch.wrap(buffer, (int) (position - bufferPosition));
    long size = (long) batch.batchLength() + RecordBatch.LOG_OVERHEAD_BYTES;
    if (size < RecordBatch.HEADER_BYTES || size > BATCH_BYTES_MAX) {
      return end(
          "batch claims %d bytes; expected %d to %d"
              .formatted(size, RecordBatch.HEADER_BYTES, BATCH_BYTES_MAX));
    }
    if (size > left) {
      return end("a batch of %d bytes, but only %d are left: a torn tail".formatted(size, left));
    }
    load((int) size);
    batch.wrap(buffer, (int) (position - bufferPosition));
    if (batch.magic() != RecordBatch.MAGIC_V2) {
      return end("magic %d, expected %d".formatted(batch.magic(), RecordBatch.MAGIC_V2));
    }
    if (!batch.isCrcValid()) {
      return end(
          "checksum mismatch in the batch at offset %d: expected 0x%08x (stored), computed 0x%08x"
              .formatted(batch.baseOffset(), batch.crc(), batch.computeCrc()));
    }
    batchBytes = (int) size;
    return true;
  }

  /** Goes on at a place behind what stopped the reading, where a batch starts or the file ends. */
  void goOnAt(long newPosition) {
    position = newPosition;
    batchBytes = 0;
    problem = null;
  }

  /** Position of the present batch, or of what stopped the reading. */
  public long position() {
    return position;
  }

  /** The present batch; valid until {@link #next()}. */
  public RecordBatch batch() {
    return batch;
  }

  /** Size of the file in bytes when it was opened. */
  public long fileBytes() {
    return fileBytes;
  }

  /** What stopped the reading before the end of the file; null where nothing did. */
  public @Nullable Finding problem() {
    return problem == null ? null : new Finding(file, position, problem);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private boolean end(String why) {
    problem = why;
    return false;
  }

  /** Makes sure that so many bytes from the present position on are in the buffer. */
  private void load(int bytes) throws IOException {
    long loadedEnd = bufferPosition + buffer.limit();
    if (position >= bufferPosition && position + bytes <= loadedEnd) {
      return;
    }
    if (buffer.capacity() < bytes) {
      buffer = ByteBuffer.allocate(Math.max(bytes, INITIAL_BYTES));
    }
    buffer.clear();
    bufferPosition = position;
    while (buffer.position() < bytes) {
      if (channel.read(buffer, position + buffer.position()) < 0) {
        throw new IOException(
            "%s ended at %d while it was read, expected %d bytes"
                .formatted(file, position + buffer.position(), fileBytes));
      }
    }
    buffer.flip();
  }
}
