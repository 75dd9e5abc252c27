package io.weirmq.storage;

/**
 * A record found by time. Immutable.
 *
 * @param offset the record's offset
 * @param timestampMs the record's timestamp, milliseconds since the epoch
 * @param leaderEpoch leader epoch of the record's batch, -1 where unknown
 */
public record TimestampedOffset(long offset, long timestampMs, int leaderEpoch) {}
