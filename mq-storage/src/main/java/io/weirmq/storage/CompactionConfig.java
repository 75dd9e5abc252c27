package io.weirmq.storage;

/**
 * When and how a log is compacted, under the meaning of Kafka's topic configurations of the same
 * names. Immutable.
 *
 * @param deleteRetentionMs {@code delete.retention.ms}: how long tombstones and markers of
 *     transactions stay after they were first compacted, 0 or more
 * @param minDirtyRatio {@code min.cleanable.dirty.ratio}: share of the log that must be new since
 *     the last compaction, 0 to 1
 * @param minLagMs {@code min.compaction.lag.ms}: age below which a segment is left alone, 0 or more
 * @param maxLagMs {@code max.compaction.lag.ms}: age of a record above which its log is compacted
 *     whatever the ratio, 1 or more; the largest long for never
 */
public record CompactionConfig(
    long deleteRetentionMs, double minDirtyRatio, long minLagMs, long maxLagMs) {

  private static final CompactionConfig DEFAULTS =
      new CompactionConfig(24L * 60 * 60 * 1000, 0.5, 0, Long.MAX_VALUE);

  /** Checks the ranges. */
  public CompactionConfig {
    if (deleteRetentionMs < 0 || minLagMs < 0 || maxLagMs < 1) {
      throw new IllegalArgumentException(
          "deleteRetentionMs %d, minLagMs %d or maxLagMs %d is out of range"
              .formatted(deleteRetentionMs, minLagMs, maxLagMs));
    }
    if (!(minDirtyRatio >= 0 && minDirtyRatio <= 1)) {
      throw new IllegalArgumentException(
          "minDirtyRatio is %s; expected 0 to 1".formatted(minDirtyRatio));
    }
  }

  /** Returns Kafka's defaults. */
  public static CompactionConfig defaults() {
    return DEFAULTS;
  }

  /** The same with another {@code delete.retention.ms}. */
  public CompactionConfig withDeleteRetentionMs(long ms) {
    return new CompactionConfig(ms, minDirtyRatio, minLagMs, maxLagMs);
  }

  /** The same with another {@code min.cleanable.dirty.ratio}. */
  public CompactionConfig withMinDirtyRatio(double ratio) {
    return new CompactionConfig(deleteRetentionMs, ratio, minLagMs, maxLagMs);
  }

  /** The same with other lags. */
  public CompactionConfig withLags(long minMs, long maxMs) {
    return new CompactionConfig(deleteRetentionMs, minDirtyRatio, minMs, maxMs);
  }

  /** Whether records may get too old to wait for the ratio. */
  public boolean hasMaxLag() {
    return maxLagMs < Long.MAX_VALUE;
  }
}
