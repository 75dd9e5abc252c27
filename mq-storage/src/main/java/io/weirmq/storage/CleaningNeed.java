package io.weirmq.storage;

/**
 * How much a log needs compaction. Immutable.
 *
 * @param cleanBytes size of the segments that were compacted before
 * @param dirtyBytes size of those that were not, and may be now
 * @param minDirtyRatio share of dirty bytes above which the log is to be compacted
 * @param overdue whether the dirty ones have a record older than {@code max.compaction.lag.ms}
 * @param rollDue whether the active segment has one, so that it is to be rolled
 */
public record CleaningNeed(
    long cleanBytes, long dirtyBytes, double minDirtyRatio, boolean overdue, boolean rollDue) {

  /** Share of the bytes that may be compacted which are new, 0 to 1. */
  public double dirtyRatio() {
    return dirtyBytes == 0 ? 0 : (double) dirtyBytes / (cleanBytes + dirtyBytes);
  }

  /** Whether the log is to be compacted now. */
  public boolean isDue() {
    return dirtyBytes > 0 && (overdue || dirtyRatio() > minDirtyRatio);
  }
}
