package io.weirmq.storage;

/**
 * What a log remembers of an idempotent producer. Immutable.
 *
 * @param producerId producer id
 * @param producerEpoch producer epoch
 * @param lastSequence sequence of the last record, -1 where none is known
 * @param lastTimestampMs timestamp of the last batch
 * @param coordinatorEpoch epoch of the coordinator that wrote the last marker, -1 where none
 * @param currentTransactionFirstOffset first offset of the open transaction, -1 where none is open
 */
public record ProducerSummary(
    long producerId,
    short producerEpoch,
    int lastSequence,
    long lastTimestampMs,
    int coordinatorEpoch,
    long currentTransactionFirstOffset) {}
