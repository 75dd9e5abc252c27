package io.weirmq.storage.record;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The content of a control batch that ends a transaction. Immutable.
 *
 * <pre>
 *   key    version int16 0, type int16 (0 ABORT, 1 COMMIT)
 *   value  version int16 0, coordinatorEpoch int32
 * </pre>
 *
 * @param commit whether the transaction was committed, else aborted
 * @param coordinatorEpoch epoch of the transaction coordinator that wrote it
 */
public record EndTransactionMarker(boolean commit, int coordinatorEpoch) {

  private static final short ABORT = 0;
  private static final short COMMIT = 1;
  private static final int KEY_BYTES = 4;
  private static final int VALUE_BYTES = 6;

  /**
   * Reads the marker of a control batch.
   *
   * @param batch a whole, valid batch
   * @return empty where it is no control batch, or one of another kind, such as a leader change, or
   *     one that compaction has emptied
   * @throws CorruptBatchException where the control record breaks the format
   */
  public static Optional<EndTransactionMarker> read(RecordBatch batch)
      throws CorruptBatchException {
    if (!batch.isControl() || batch.recordCount() == 0) {
      return Optional.empty();
    }
    RecordView view = new RecordView();
    int start = batch.position() + RecordBatch.HEADER_BYTES;
    int end = view.parse(batch.buffer(), start, batch.position() + batch.sizeInBytes());
    ByteBuffer key = end < 0 ? null : view.key();
    if (key == null || key.remaining() < KEY_BYTES || batch.isCompressed()) {
      throw corrupt(batch, "control record has no key of %d bytes".formatted(KEY_BYTES));
    }
    short type = key.getShort(2);
    if (type != ABORT && type != COMMIT) {
      return Optional.empty();
    }
    ByteBuffer value = view.value();
    if (value == null || value.remaining() < VALUE_BYTES) {
      throw corrupt(batch, "marker has no value of %d bytes".formatted(VALUE_BYTES));
    }
    return Optional.of(new EndTransactionMarker(type == COMMIT, value.getInt(2)));
  }

  /** The key of the control record; a new buffer. */
  public ByteBuffer key() {
    return ByteBuffer.allocate(KEY_BYTES)
        .putShort((short) 0)
        .putShort(commit ? COMMIT : ABORT)
        .flip();
  }

  /** The value of the control record; a new buffer. */
  public ByteBuffer value() {
    return ByteBuffer.allocate(VALUE_BYTES).putShort((short) 0).putInt(coordinatorEpoch).flip();
  }

  private static CorruptBatchException corrupt(RecordBatch batch, String message) {
    return new CorruptBatchException(
        CorruptBatchException.Kind.RECORD, batch.baseOffset(), message);
  }
}
