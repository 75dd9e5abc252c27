package io.weirmq.storage.internal.validate;

import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;

/**
 * Checks what a leader sent: whole batches with right checksums and rising offsets. A batch that
 * the end of the fetch cut is left out.
 *
 * <p>Confined to one thread; used once.
 */
final class ReplicatedBatches {

  private final TopicPartition partition;
  private final ByteBuffer records;

  private int recordCount;
  private long firstOffset = -1;
  private long nextOffset = -1;
  private long maxTimestampMs = Long.MIN_VALUE;
  private long maxTimestampOffset;

  ReplicatedBatches(TopicPartition partition, ByteBuffer records) {
    this.partition = partition;
    this.records = records;
  }

  ValidationOutcome validate() {
    BatchCursor cursor = new BatchCursor(records);
    try {
      while (cursor.next()) {
        check(cursor.batch());
      }
    } catch (CorruptBatchException e) {
      return invalid(Rejections.corrupt(partition, String.valueOf(e.getMessage())));
    }
    if (firstOffset < 0) {
      return invalid(
          Rejections.corrupt(
              partition, "%d bytes hold no whole batch".formatted(records.remaining())));
    }
    ByteBuffer whole =
        cursor.remainingBytes() == 0 ? records : records.duplicate().limit(cursor.position());
    int delta = (int) Math.min(maxTimestampOffset - firstOffset, Integer.MAX_VALUE);
    return new ValidationOutcome.Valid(
        new ValidatedBatch(whole, recordCount, maxTimestampMs, delta));
  }

  private void check(RecordBatch batch) throws CorruptBatchException {
    batch.ensureValid();
    if (batch.baseOffset() < Math.max(nextOffset, 0) || batch.nextOffset() <= batch.baseOffset()) {
      throw new CorruptBatchException(
          CorruptBatchException.Kind.FRAMING,
          batch.baseOffset(),
          "offsets are %d..%d; expected from %d up"
              .formatted(batch.baseOffset(), batch.lastOffset(), Math.max(nextOffset, 0)));
    }
    if (firstOffset < 0) {
      firstOffset = batch.baseOffset();
    }
    nextOffset = batch.nextOffset();
    recordCount += Math.max(batch.recordCount(), 0);
    if (batch.maxTimestamp() > maxTimestampMs) {
      maxTimestampMs = batch.maxTimestamp();
      maxTimestampOffset = batch.lastOffset();
    }
  }

  private static ValidationOutcome invalid(Rejected rejected) {
    return new ValidationOutcome.Invalid(rejected);
  }
}
