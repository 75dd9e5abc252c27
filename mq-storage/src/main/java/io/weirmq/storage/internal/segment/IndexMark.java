package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.index.TimeIndex;

/**
 * Where the two indexes of a segment end at some batch: as many entries, the last of them these.
 * Immutable.
 *
 * <p>The time index ends with the largest timestamp up to there, so that nothing in front of a mark
 * has to be read to go on behind it.
 *
 * @param offsetEntries entries of the offset index
 * @param lastOffset offset of the last of them; the base offset where there is none
 * @param lastPosition position of the last of them; 0 where there is none
 * @param timeEntries entries of the time index
 * @param timestampMs timestamp of the last of them, -1 where there is none
 * @param timestampOffset offset of the last of them; the base offset where there is none
 */
public record IndexMark(
    int offsetEntries,
    long lastOffset,
    int lastPosition,
    int timeEntries,
    long timestampMs,
    long timestampOffset) {

  static IndexMark of(SegmentIndexes indexes) {
    OffsetIndex offsets = indexes.offsets();
    TimeIndex times = indexes.times();
    return new IndexMark(
        offsets.count(),
        offsets.lastOffset(),
        offsets.lastPosition(),
        times.count(),
        times.lastTimestampMs(),
        times.lastOffset());
  }

  /** The largest timestamp up to the mark. */
  LargestTimestamp largest() {
    return new LargestTimestamp(timestampMs, timestampOffset);
  }
}
