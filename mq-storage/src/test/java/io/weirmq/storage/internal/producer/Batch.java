package io.weirmq.storage.internal.producer;

import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;

/** Batches of producers for tests; each setter returns a new one. */
record Batch(
    long producerId,
    short epoch,
    int sequence,
    int count,
    long timestampMs,
    boolean isTransactional,
    long baseOffset,
    java.util.Optional<EndTransactionMarker> marker) {

  static Batch of(long producerId, int epoch, int sequence, int count) {
    return new Batch(
        producerId, (short) epoch, sequence, count, 0, false, 0, java.util.Optional.empty());
  }

  static Batch marker(long producerId, int epoch, boolean commit, int coordinatorEpoch) {
    return new Batch(
        producerId,
        (short) epoch,
        -1,
        1,
        0,
        true,
        0,
        java.util.Optional.of(new EndTransactionMarker(commit, coordinatorEpoch)));
  }

  Batch at(long ms) {
    return new Batch(producerId, epoch, sequence, count, ms, isTransactional, baseOffset, marker);
  }

  Batch transactional() {
    return new Batch(producerId, epoch, sequence, count, timestampMs, true, baseOffset, marker);
  }

  Batch offset(long offset) {
    return new Batch(
        producerId, epoch, sequence, count, timestampMs, isTransactional, offset, marker);
  }

  RecordBatch build() {
    RecordBatchBuilder builder =
        new RecordBatchBuilder().producer(producerId, epoch, sequence).baseOffset(baseOffset);
    if (isTransactional) {
      builder.transactional();
    }
    if (marker.isPresent()) {
      builder.control().append(timestampMs, marker.get().key(), marker.get().value());
    } else {
      for (int i = 0; i < count; i++) {
        builder.append(timestampMs, null, null);
      }
    }
    return RecordBatch.of(builder.build());
  }
}
