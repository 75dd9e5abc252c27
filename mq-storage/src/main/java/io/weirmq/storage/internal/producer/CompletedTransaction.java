package io.weirmq.storage.internal.producer;

/**
 * A transaction whose marker was written. Immutable.
 *
 * @param producerId the producer
 * @param firstOffset offset of the transaction's first record in this log
 * @param lastOffset offset of the marker
 * @param aborted whether the marker is an ABORT
 */
public record CompletedTransaction(
    long producerId, long firstOffset, long lastOffset, boolean aborted) {}
