package io.weirmq.storage.internal.log;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** Checks the offsets that a leader has given to batches. Stateless. */
final class ReplicatedOffsets {

  private ReplicatedOffsets() {}

  /**
   * Checks all batches before one of them is staged.
   *
   * @param nextOffset where the log goes on; a leader's log may have gaps, but never goes back
   * @return why they are refused; empty where they are not
   */
  static Optional<AppendResult> refusal(
      TopicPartition partition, ByteBuffer batches, long nextOffset) throws StorageException {
    BatchCursor cursor = new BatchCursor(batches);
    long expected = nextOffset;
    while (cursor.next()) {
      RecordBatch batch = cursor.batch();
      if (batch.baseOffset() < expected || batch.lastOffsetDelta() < 0) {
        return Optional.of(
            new AppendResult.Rejected(
                AppendResult.RejectReason.INVALID_RECORD,
                "%s: replicated batch has offsets %d..%d; expected them at or above %d"
                    .formatted(partition, batch.baseOffset(), batch.lastOffset(), expected),
                List.of()));
      }
      expected = batch.nextOffset();
    }
    return cursor.remainingBytes() == 0 && batches.hasRemaining()
        ? Optional.empty()
        : Optional.of(
            new AppendResult.Rejected(
                AppendResult.RejectReason.CORRUPT_MESSAGE,
                "%s: replicated bytes end in the middle of a batch, %d bytes of which are there"
                    .formatted(partition, cursor.remainingBytes()),
                List.of()));
  }
}
