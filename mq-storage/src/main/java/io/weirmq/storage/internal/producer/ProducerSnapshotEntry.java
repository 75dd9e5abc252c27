package io.weirmq.storage.internal.producer;

/**
 * What a snapshot keeps of a producer: its last batch only. Immutable.
 *
 * @param producerId producer id
 * @param producerEpoch producer epoch
 * @param lastSequence sequence of the last record, -1 where none is known
 * @param lastOffset offset of the last record, -1 where none is known
 * @param offsetDelta offset of the last record less the one of the batch's first
 * @param timestampMs greatest timestamp of the last batch
 * @param coordinatorEpoch epoch of the coordinator that wrote the last marker, -1 where none
 * @param transactionFirstOffset first offset of the open transaction, -1 where none is open
 */
public record ProducerSnapshotEntry(
    long producerId,
    short producerEpoch,
    int lastSequence,
    long lastOffset,
    int offsetDelta,
    long timestampMs,
    int coordinatorEpoch,
    long transactionFirstOffset) {}
