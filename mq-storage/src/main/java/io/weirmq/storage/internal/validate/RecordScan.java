package io.weirmq.storage.internal.validate;

import io.weirmq.storage.AppendResult.RecordError;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.storage.record.RecordView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the records of a batch: structure, offsets, keys, timestamps.
 *
 * <p>Confined to one thread; used once.
 */
final class RecordScan {

  /** Records at fault that are named one by one. */
  static final int RECORD_ERRORS_MAX = 100;

  private final TopicPartition partition;
  private final RecordRules rules;

  private int recordCount;
  private long maxTimestampMs = Long.MIN_VALUE;
  private int maxTimestampOffsetDelta;
  private int errorCount;
  private boolean timestampAtFault;
  private @Nullable List<RecordError> errors;

  RecordScan(TopicPartition partition, RecordRules rules) {
    this.partition = partition;
    this.rules = rules;
  }

  /** Looks at all records; returns what is wrong, or null. */
  @Nullable Rejected run(RecordCursor cursor, RecordBatch batch) {
    if (!batch.isCompressed()) {
      PlainRecords plain = new PlainRecords();
      if (plain.run(batch, rules)) {
        recordCount = batch.recordCount();
        maxTimestampMs = plain.maxTimestampMs();
        maxTimestampOffsetDelta = plain.maxTimestampOffsetDelta();
        return null;
      }
    }
    return runThrough(cursor, batch);
  }

  /** Goes over all records one by one, as {@link #run} does where the quick pass is not sure. */
  @Nullable Rejected runThrough(RecordCursor cursor, RecordBatch batch) {
    try {
      cursor.open(batch);
      Rejected rejected = scan(cursor, batch.baseTimestamp());
      return rejected != null ? rejected : recordsAtFault();
    } catch (CorruptBatchException e) {
      return Rejections.unreadable(partition, e);
    }
  }

  /** Number of records found. */
  int recordCount() {
    return recordCount;
  }

  /** The greatest timestamp found. */
  long maxTimestampMs() {
    return maxTimestampMs;
  }

  /** Offset delta of the first record with that timestamp. */
  int maxTimestampOffsetDelta() {
    return maxTimestampOffsetDelta;
  }

  private @Nullable Rejected scan(RecordCursor cursor, long baseTimestamp)
      throws CorruptBatchException {
    RecordView view = cursor.record();
    int index = 0;
    while (cursor.next()) {
      if (view.offsetDelta() != index) {
        return Rejections.invalid(
            partition,
            "record %d has offset delta %d; expected %d"
                .formatted(index, view.offsetDelta(), index));
      }
      if (rules.keyRequired() && !view.hasKey()) {
        addError(index, "a compacted topic needs records with keys", false);
      }
      long timestampMs = baseTimestamp + view.timestampDelta();
      if (!rules.accepts(timestampMs)) {
        addTimestampError(index, timestampMs);
      }
      if (timestampMs > maxTimestampMs) {
        maxTimestampMs = timestampMs;
        maxTimestampOffsetDelta = index;
      }
      index++;
    }
    recordCount = index;
    return null;
  }

  private void addTimestampError(int index, long timestampMs) {
    addError(
        index,
        "timestamp %d is outside of %d..%d"
            .formatted(timestampMs, rules.timestampMin(), rules.timestampMax()),
        true);
  }

  private void addError(int index, String message, boolean timestamp) {
    if (errors == null) {
      errors = new ArrayList<>();
    }
    if (errors.size() < RECORD_ERRORS_MAX) {
      errors.add(new RecordError(index, message));
    }
    errorCount++;
    timestampAtFault |= timestamp;
  }

  private @Nullable Rejected recordsAtFault() {
    if (errors == null) {
      return null;
    }
    return Rejections.records(
        timestampAtFault ? RejectReason.INVALID_TIMESTAMP : RejectReason.INVALID_RECORD,
        partition,
        errorCount,
        errors);
  }
}
