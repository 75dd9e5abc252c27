package io.weirmq.storage;

/**
 * An entry of a transaction index. Immutable.
 *
 * @param producerId the producer whose transaction was aborted
 * @param firstOffset offset of the transaction's first record
 * @param lastOffset offset of its ABORT marker
 * @param lastStableOffset the last stable offset when the marker was written
 */
public record AbortedTransaction(
    long producerId, long firstOffset, long lastOffset, long lastStableOffset) {}
