package io.weirmq.storage.internal.compact;

import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the batches of a segment file one after the other, whole and checked.
 *
 * <p>A batch that is damaged ends the run: its records must neither be counted as the last of their
 * keys nor be written anew under a checksum that makes them look sound.
 *
 * <p>The buffer grows to the largest batch met, which the file bounds. Confined to one thread.
 */
final class BatchReader {

  private final IoBudget budget;
  private final RecordBatch batch = new RecordBatch();
  private final int bufferBytes;

  private ByteBuffer buffer;
  private @Nullable LogFile file;
  private int end;
  private long expectedOffset;
  private long endOffset;
  private int filePosition;
  private int bufferStart;
  private int position;

  BatchReader(int bufferBytes, IoBudget budget) {
    this.bufferBytes = Math.max(bufferBytes, RecordBatch.HEADER_BYTES);
    this.budget = budget;
    this.buffer = ByteBuffer.allocate(this.bufferBytes).limit(0);
  }

  /** Size of the buffer now. */
  int bufferBytes() {
    return buffer.capacity();
  }

  /**
   * Goes in front of the batch at a position of a file.
   *
   * @param first offset at or above which the first batch begins
   * @param behind offset at or below which the last one ends
   */
  void begin(LogFile log, int from, int endPosition, long first, long behind) {
    file = log;
    expectedOffset = first;
    endOffset = behind;
    end = endPosition;
    filePosition = from;
    bufferStart = from;
    position = from;
    if (buffer.capacity() > bufferBytes) {
      buffer = ByteBuffer.allocate(bufferBytes);
    }
    buffer.position(0).limit(0);
  }

  /**
   * Reads the next batch.
   *
   * @return false at the end
   * @throws CorruptSegmentException where the batch is damaged
   * @throws StorageException where the file can't be read, or the cleaner is to stop
   */
  boolean next() throws StorageException {
    position = filePosition;
    if (position >= end) {
      return false;
    }
    LogFile log = current();
    require(log, Math.min(RecordBatch.HEADER_BYTES, end - position));
    if (end - position < RecordBatch.HEADER_BYTES) {
      throw new CorruptSegmentException(
          log.path(), position, "%d bytes are left, no batch header".formatted(end - position));
    }
    batch.wrap(buffer, position - bufferStart);
    int size = batch.sizeInBytes();
    if (size < RecordBatch.HEADER_BYTES || size > end - position) {
      throw new CorruptSegmentException(
          log.path(),
          position,
          "batch claims %d bytes; expected %d to %d"
              .formatted(size, RecordBatch.HEADER_BYTES, end - position));
    }
    require(log, size);
    batch.wrap(buffer, position - bufferStart);
    ensureSound(log);
    filePosition = position + size;
    expectedOffset = batch.nextOffset();
    return true;
  }

  private void ensureSound(LogFile log) throws CorruptSegmentException {
    if (batch.magic() != RecordBatch.MAGIC_V2) {
      throw new CorruptSegmentException(
          log.path(),
          position,
          "magic is %d; expected %d".formatted(batch.magic(), RecordBatch.MAGIC_V2));
    }
    // The checksum does not cover the base offset.
    boolean inPlace =
        batch.baseOffset() >= expectedOffset
            && batch.lastOffsetDelta() >= 0
            && batch.lastOffset() < endOffset;
    if (!inPlace) {
      throw new CorruptSegmentException(
          log.path(),
          position,
          "batch has offsets %d..%d; expected them from %d on and below %d"
              .formatted(batch.baseOffset(), batch.lastOffset(), expectedOffset, endOffset));
    }
    int computed = batch.computeCrc();
    if (computed != batch.crc()) {
      throw new CorruptSegmentException(
          log.path(),
          position,
          "checksum mismatch in the batch at offset %d: expected 0x%08x (stored), computed 0x%08x"
              .formatted(batch.baseOffset(), batch.crc(), computed));
    }
  }

  /** The present batch, in the reader's buffer until {@link #next}. */
  RecordBatch batch() {
    return batch;
  }

  /** Position of the present batch in the file. */
  int position() {
    return position;
  }

  private LogFile current() {
    LogFile log = file;
    if (log == null) {
      throw new IllegalStateException("the reader has not begun");
    }
    return log;
  }

  /** Brings so many bytes from the position on into the buffer. */
  private void require(LogFile log, int bytes) throws StorageException {
    int have = bufferStart + buffer.limit() - position;
    if (have >= bytes) {
      return;
    }
    buffer.position(position - bufferStart);
    ByteBuffer target =
        bytes > buffer.capacity() ? ByteBuffer.allocate(bytes).put(buffer) : buffer.compact();
    target.limit((int) Math.min(target.capacity(), (long) end - position));
    int missing = target.remaining();
    budget.read(missing);
    try {
      log.readFully(target, position + (long) target.position());
    } catch (IOException e) {
      throw new StorageException(
          "%s can't be read at position %d: %s".formatted(log.path(), position, e), e);
    }
    buffer = target.flip();
    bufferStart = position;
  }
}
