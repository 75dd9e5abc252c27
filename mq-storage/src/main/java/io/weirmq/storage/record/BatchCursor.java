package io.weirmq.storage.record;

import java.nio.ByteBuffer;

/**
 * Goes over the batches that lie back to back in a buffer, as a fetch returns them.
 *
 * <p>It ends in front of a batch that the limit cuts: how much of the buffer was whole is told by
 * {@link #position()}. Only framing is looked at; see {@link RecordBatch#ensureValid()}.
 *
 * <p>Confined to one thread. The buffer is borrowed, and its position and limit are left as they
 * are.
 */
public final class BatchCursor {

  private final ByteBuffer buffer;
  private final int limit;
  private final RecordBatch batch = new RecordBatch();

  private int position;

  /** Goes in front of the batch at the buffer's position. */
  public BatchCursor(ByteBuffer buffer) {
    this.buffer = buffer;
    this.position = buffer.position();
    this.limit = buffer.limit();
  }

  /**
   * Goes to the next batch.
   *
   * @return false where none is left whole
   * @throws CorruptBatchException where the length field is too small for a header
   */
  public boolean next() throws CorruptBatchException {
    if (!RecordBatch.hasHeader(buffer, position)) {
      return false;
    }
    batch.wrap(buffer, position);
    long size = (long) batch.batchLength() + RecordBatch.LOG_OVERHEAD_BYTES;
    if (size < RecordBatch.HEADER_BYTES) {
      throw new CorruptBatchException(
          CorruptBatchException.Kind.FRAMING,
          batch.baseOffset(),
          "batch claims %d bytes; expected at least %d".formatted(size, RecordBatch.HEADER_BYTES));
    }
    if (size > limit - position) {
      return false;
    }
    position += (int) size;
    return true;
  }

  /** The present batch; the view is moved by {@link #next()}. */
  public RecordBatch batch() {
    return batch;
  }

  /** Index behind the last batch that {@link #next()} returned. */
  public int position() {
    return position;
  }

  /** Bytes from {@link #position()} to the limit: a batch that is cut, once next was false. */
  public int remainingBytes() {
    return limit - position;
  }
}
