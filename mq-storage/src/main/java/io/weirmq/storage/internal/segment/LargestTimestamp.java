package io.weirmq.storage.internal.segment;

/**
 * The largest timestamp of a segment. Immutable.
 *
 * @param timestampMs milliseconds since the epoch, -1 where no record has one
 * @param lastOffset last offset of the first batch that has it
 */
public record LargestTimestamp(long timestampMs, long lastOffset) {}
