package io.weirmq.storage.internal.producer;

import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.record.RecordBatch;

/**
 * What a log remembers of one producer: epoch, the last five batches, the open transaction.
 *
 * <p>Confined to one thread, but for reading under the lock of {@link ProducerStates}. About 220
 * bytes of heap with its place in the table.
 */
final class ProducerState {

  /** Batches that are remembered: as many as a producer may have in flight. */
  static final int BATCHES_MAX = 5;

  /** No offset. */
  static final long NONE = -1;

  private final int[] lastSequences = new int[BATCHES_MAX];
  private final long[] lastOffsets = new long[BATCHES_MAX];
  private final int[] offsetDeltas = new int[BATCHES_MAX];
  private final long[] timestamps = new long[BATCHES_MAX];

  private long producerId;
  private short epoch;
  private int newest;
  private int batchCount;
  private long lastTimestampMs;
  private int coordinatorEpoch;
  private long transactionFirstOffset;

  /** Makes it the state of a producer of which nothing is known. */
  ProducerState reset(long id) {
    producerId = id;
    epoch = RecordBatch.NO_PRODUCER_EPOCH;
    newest = 0;
    batchCount = 0;
    lastTimestampMs = RecordBatch.NO_TIMESTAMP;
    coordinatorEpoch = -1;
    transactionFirstOffset = NONE;
    return this;
  }

  /** Makes it equal to another state. */
  ProducerState copyFrom(ProducerState other) {
    producerId = other.producerId;
    epoch = other.epoch;
    newest = other.newest;
    batchCount = other.batchCount;
    lastTimestampMs = other.lastTimestampMs;
    coordinatorEpoch = other.coordinatorEpoch;
    transactionFirstOffset = other.transactionFirstOffset;
    System.arraycopy(other.lastSequences, 0, lastSequences, 0, BATCHES_MAX);
    System.arraycopy(other.lastOffsets, 0, lastOffsets, 0, BATCHES_MAX);
    System.arraycopy(other.offsetDeltas, 0, offsetDeltas, 0, BATCHES_MAX);
    System.arraycopy(other.timestamps, 0, timestamps, 0, BATCHES_MAX);
    return this;
  }

  /** Makes it the state that a snapshot kept. */
  ProducerState restore(ProducerSnapshotEntry entry) {
    reset(entry.producerId());
    epoch = entry.producerEpoch();
    if (entry.lastOffset() >= 0) {
      addBatch(entry.lastSequence(), entry.lastOffset(), entry.offsetDelta(), entry.timestampMs());
    }
    lastTimestampMs = entry.timestampMs();
    coordinatorEpoch = entry.coordinatorEpoch();
    transactionFirstOffset = entry.transactionFirstOffset();
    return this;
  }

  ProducerSnapshotEntry snapshot() {
    boolean empty = batchCount == 0;
    return new ProducerSnapshotEntry(
        producerId,
        epoch,
        lastSequence(),
        empty ? NONE : lastOffsets[newest],
        empty ? 0 : offsetDeltas[newest],
        lastTimestampMs,
        coordinatorEpoch,
        transactionFirstOffset);
  }

  ProducerSummary summary() {
    return new ProducerSummary(
        producerId,
        epoch,
        lastSequence(),
        lastTimestampMs,
        coordinatorEpoch,
        transactionFirstOffset);
  }

  long producerId() {
    return producerId;
  }

  short epoch() {
    return epoch;
  }

  boolean isNew() {
    return epoch == RecordBatch.NO_PRODUCER_EPOCH;
  }

  int lastSequence() {
    return batchCount == 0 ? RecordBatch.NO_SEQUENCE : lastSequences[newest];
  }

  long lastTimestampMs() {
    return lastTimestampMs;
  }

  int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  /** First offset of the open transaction, {@link #NONE} where none is open. */
  long transactionFirstOffset() {
    return transactionFirstOffset;
  }

  boolean hasOpenTransaction() {
    return transactionFirstOffset != NONE;
  }

  /** Returns the index, for the accessors below, of the batch with both sequences, or -1. */
  int indexOf(int firstSequence, int lastSequence) {
    for (int i = 0; i < batchCount; i++) {
      int index = (newest - i + BATCHES_MAX) % BATCHES_MAX;
      if (lastSequences[index] == lastSequence
          && RecordBatch.incrementSequence(firstSequence, offsetDeltas[index]) == lastSequence) {
        return index;
      }
    }
    return -1;
  }

  long baseOffset(int index) {
    return lastOffsets[index] - offsetDeltas[index];
  }

  long lastOffset(int index) {
    return lastOffsets[index];
  }

  long timestampMs(int index) {
    return timestamps[index];
  }

  /** Takes over another epoch; the batches of the one before are forgotten. */
  void epoch(short newEpoch) {
    if (newEpoch != epoch) {
      epoch = newEpoch;
      batchCount = 0;
    }
  }

  void addBatch(int lastSequence, long lastOffset, int offsetDelta, long timestampMs) {
    newest = batchCount == 0 ? 0 : (newest + 1) % BATCHES_MAX;
    batchCount = Math.min(batchCount + 1, BATCHES_MAX);
    lastSequences[newest] = lastSequence;
    lastOffsets[newest] = lastOffset;
    offsetDeltas[newest] = offsetDelta;
    timestamps[newest] = timestampMs;
    lastTimestampMs = timestampMs;
  }

  void beginTransaction(long firstOffset) {
    transactionFirstOffset = firstOffset;
  }

  void endTransaction(int newCoordinatorEpoch, long timestampMs) {
    transactionFirstOffset = NONE;
    coordinatorEpoch = newCoordinatorEpoch;
    lastTimestampMs = timestampMs;
  }
}
