package io.weirmq.replication;

import io.weirmq.storage.CleaningResult;

/**
 * What is known of compaction so far. Immutable.
 *
 * @param lastLookMs wall clock of the last look for a log to compact
 * @param maxDirtyRatio largest share of new bytes of any log at that look, 0 to 1
 * @param lastRunMs time of the last run
 * @param lastRecopyRatio size of what the last run kept by that of what it read, 0 to 1 and above
 *     where other codecs compress less
 * @param lastMapShare keys of the last run by the room of its map, 0 to 1
 * @param runs runs that came to their end
 */
public record CleaningStatus(
    long lastLookMs,
    double maxDirtyRatio,
    long lastRunMs,
    double lastRecopyRatio,
    double lastMapShare,
    long runs) {

  /** Bytes of the map per key. */
  private static final int BYTES_PER_KEY = 24;

  static CleaningStatus initial(long nowMs) {
    return new CleaningStatus(nowMs, 0, 0, 0, 0, 0);
  }

  CleaningStatus chosen(double dirtiest, long nowMs) {
    return new CleaningStatus(nowMs, dirtiest, lastRunMs, lastRecopyRatio, lastMapShare, runs);
  }

  CleaningStatus cleaned(CleaningResult.Cleaned cleaned) {
    return new CleaningStatus(
        lastLookMs,
        maxDirtyRatio,
        cleaned.totalMs(),
        cleaned.sizeBefore() == 0 ? 0 : (double) cleaned.sizeAfter() / cleaned.sizeBefore(),
        (double) cleaned.keys() * BYTES_PER_KEY / cleaned.mapBytes(),
        runs + 1);
  }
}
