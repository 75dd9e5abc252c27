package io.weirmq.storage.internal.validate;

import io.weirmq.storage.AppendResult.RecordError;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.record.CorruptBatchException;
import java.util.List;

/**
 * Words the refusals of batches: each names the partition, what was expected and what was found.
 */
final class Rejections {

  private Rejections() {}

  static Rejected of(RejectReason reason, TopicPartition partition, String message) {
    return new Rejected(reason, partition + ": " + message, List.of());
  }

  static Rejected invalid(TopicPartition partition, String message) {
    return of(RejectReason.INVALID_RECORD, partition, message);
  }

  static Rejected corrupt(TopicPartition partition, String message) {
    return of(RejectReason.CORRUPT_MESSAGE, partition, message);
  }

  static Rejected checksum(TopicPartition partition, int stored, int computed) {
    return corrupt(
        partition,
        "checksum mismatch: expected 0x%08x (stored), computed 0x%08x".formatted(stored, computed));
  }

  static Rejected records(
      RejectReason reason, TopicPartition partition, int count, List<RecordError> errors) {
    return new Rejected(
        reason,
        "%s: %d records of the batch are refused, the first at index %d: %s"
            .formatted(partition, count, errors.get(0).index(), errors.get(0).message()),
        errors);
  }

  static Rejected unreadable(TopicPartition partition, CorruptBatchException e) {
    RejectReason reason =
        switch (e.kind()) {
          case UNSUPPORTED_COMPRESSION -> RejectReason.UNSUPPORTED_COMPRESSION_TYPE;
          case CHECKSUM -> RejectReason.CORRUPT_MESSAGE;
          // A producer that splits its batch and sends again gets through.
          case TOO_LARGE -> RejectReason.MESSAGE_TOO_LARGE;
          case FRAMING, MAGIC, COMPRESSION, RECORD -> RejectReason.INVALID_RECORD;
        };
    return of(reason, partition, String.valueOf(e.getMessage()));
  }
}
