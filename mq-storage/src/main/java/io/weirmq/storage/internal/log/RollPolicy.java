package io.weirmq.storage.internal.log;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.internal.segment.SegmentIndexes;

/**
 * Says when the active segment gives way to a new one.
 *
 * <p>A batch begins a new segment where one of these holds, and the active segment has records:
 *
 * <ul>
 *   <li>it would make the segment larger than {@code segment.bytes}
 *   <li>the batch's timestamp is more than {@code segment.ms} (less the jitter) above that of the
 *       segment's first batch. A first timestamp that is missing or {@linkplain
 *       Timestamps#isBelievable not believable} is replaced by the wall clock, which then counts
 *       from when the segment was made or opened. Since the age is measured from the segment's
 *       <em>first</em> batch, clients that alternate between two times cause one roll, not one per
 *       record
 *   <li>an index has no room for another entry
 *   <li>its last offset can't be written relative to the segment's base offset
 * </ul>
 *
 * Immutable.
 */
final class RollPolicy {

  /** A large odd number, so that like names give unlike parts. */
  private static final long JITTER_SPREAD = 0x9E3779B97F4A7C15L;

  private RollPolicy() {}

  static boolean isDue(LogConfig config, ActiveSegment active, Candidate batch, int pendingBytes) {
    long sizeBytes = (long) active.segment().sizeBytes() + pendingBytes;
    if (sizeBytes == 0) {
      return !OffsetIndex.fits(active.segment().baseOffset(), batch.lastOffset());
    }
    return sizeBytes + batch.sizeBytes() > config.segmentBytes()
        || !OffsetIndex.fits(active.segment().baseOffset(), batch.lastOffset())
        || waitedMs(active, batch) > config.segmentMs() - jitterMs(config, active);
  }

  static boolean isIndexFull(LogConfig config, SegmentIndexes indexes, int pendingEntries) {
    return indexes.offsets().isFull(config.segmentIndexBytes(), pendingEntries)
        || indexes.times().isFull(config.segmentIndexBytes(), pendingEntries);
  }

  /** A part of the jitter that differs from segment to segment but not from look to look. */
  private static long jitterMs(LogConfig config, ActiveSegment active) {
    return config.segmentJitterMs() <= 0
        ? 0
        : Math.floorMod(
            active.segment().file(SegmentFileKind.LOG).hashCode() * JITTER_SPREAD,
            config.segmentJitterMs());
  }

  private static long waitedMs(ActiveSegment active, Candidate batch) {
    long first = active.firstTimestampMs();
    boolean believable =
        Timestamps.isBelievable(first, batch.nowMs())
            && Timestamps.isBelievable(batch.maxTimestampMs(), batch.nowMs());
    return believable ? batch.maxTimestampMs() - first : batch.nowMs() - active.openedAtMs();
  }

  /** What is known of the batch that is to be appended. */
  record Candidate(
      int sizeBytes, long baseOffset, long lastOffset, long maxTimestampMs, long nowMs) {}
}
