package io.weirmq.client.ipc;

import io.weirmq.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/** What leaders refuse batches with, and what that means to a publisher. Stateless. */
final class ProduceRefusals {

  private ProduceRefusals() {}

  /** Whether the leader may be another one; a disk that is full stays where it is. */
  static boolean isOfLeadership(ErrorCode error) {
    return error.retry() == ErrorCode.Retry.AFTER_METADATA
        && error != ErrorCode.KAFKA_STORAGE_ERROR;
  }

  /** Whether the log may have a batch that was answered with this error. */
  static boolean mayBeAppendedDespite(ErrorCode error) {
    return error == ErrorCode.REQUEST_TIMED_OUT
        || error == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        || error == ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }

  /** What will be sent again. */
  static IpcException forNow(String topicPartition, ErrorCode error, @Nullable String message) {
    return because(topicPartition + " takes no batch now", error, message);
  }

  /** What will not be sent again, as nothing is promised for it. */
  static IpcException ofDropped(String topicPartition, ErrorCode error, @Nullable String message) {
    return because(topicPartition + " has refused a batch", error, message);
  }

  private static IpcException because(String what, ErrorCode error, @Nullable String message) {
    return new IpcException(
        "%s: %s (%s)%s".formatted(what, error.text(), error, message == null ? "" : ": " + message),
        null);
  }

  /** What ends a publisher. */
  static IpcException forGood(
      String topicPartition, ErrorCode error, OutgoingBatch batch, @Nullable String message) {
    String consequence =
        switch (error) {
          case OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID ->
              "; the broker does not have the batches before it, so that records may be lost:"
                  + " compare what is in the log and publish the rest with a new publisher";
          case INVALID_PRODUCER_EPOCH, PRODUCER_FENCED ->
              "; another producer has taken over this one's identity";
          default -> "";
        };
    return new IpcException(
        "%s refused a batch of %d records from token %d on, sequence %d: %s (%s)%s%s"
            .formatted(
                topicPartition,
                batch.recordCount(),
                batch.firstToken(),
                batch.baseSequence(),
                error.text(),
                error,
                message == null ? "" : ": " + message,
                consequence),
        null);
  }
}
