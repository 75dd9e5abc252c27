package io.weirmq.storage.internal.log;

import io.weirmq.index.TimeIndex;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.LargestTimestamp;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.internal.segment.SegmentReading;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.util.Optional;

/**
 * Finds records by time. Safe for use by several threads.
 *
 * <p>The answer is exact per record, whatever order the timestamps have: segments and batches whose
 * largest timestamp is below the asked one are passed over by index and header; only a batch that
 * can hold the answer is read and, where a codec is set, decompressed.
 */
final class TimestampSearch {

  private final LogState state;

  TimestampSearch(LogState state) {
    this.state = state;
  }

  Optional<TimestampedOffset> find(long timestampMs, long limitOffset) throws StorageException {
    long start = state.logStartOffset();
    long limit = Math.min(limitOffset, state.endAcquire().offset());
    SegmentList segments = state.segments();
    for (int i = segments.floorIndex(start); i < segments.size(); i++) {
      Segment segment = segments.get(i);
      if (segment.baseOffset() >= limit) {
        break;
      }
      if (segment.sizeBytes() > 0 && segment.largestTimestamp().timestampMs() >= timestampMs) {
        Optional<TimestampedOffset> found = findIn(segments, i, timestampMs, start, limit);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<TimestampedOffset> findIn(
      SegmentList segments, int index, long timestampMs, long start, long limit)
      throws StorageException {
    Segment segment = segments.get(index);
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      long from = Math.max(start, SegmentLookup.offsetBefore(holder, walker, timestampMs));
      boolean more =
          SegmentLookup.seek(
              holder, walker, from, segment.sizeBytes(), state.endOf(segments, index));
      while (more && walker.batch().baseOffset() < limit) {
        if (walker.batch().maxTimestamp() >= timestampMs && walker.isSound()) {
          Optional<TimestampedOffset> found = findIn(walker, timestampMs, start, limit);
          if (found.isPresent()) {
            return found;
          }
        }
        more = walker.next();
      }
      return Optional.empty();
    }
  }

  /** The first record of the present batch at or above a time, within the offsets. */
  private static Optional<TimestampedOffset> findIn(
      BatchWalker walker, long timestampMs, long start, long limit) throws StorageException {
    RecordBatch batch = walker.readWhole();
    int epoch = batch.partitionLeaderEpoch();
    try (RecordCursor cursor = new RecordCursor(new Decompressor())) {
      cursor.open(batch);
      while (cursor.next()) {
        long offset = cursor.offset();
        if (cursor.timestampMs() >= timestampMs && offset >= start) {
          return offset < limit
              ? Optional.of(new TimestampedOffset(offset, cursor.timestampMs(), epoch))
              : Optional.empty();
        }
      }
      return Optional.empty();
    }
  }

  Optional<TimestampedOffset> findMax() throws StorageException {
    long start = state.logStartOffset();
    SegmentList segments = state.segments();
    long largest = TimeIndex.NO_TIMESTAMP;
    int at = -1;
    for (int i = segments.floorIndex(start); i < segments.size(); i++) {
      Segment segment = segments.get(i);
      long ofSegment =
          segment.baseOffset() >= start
              ? segment.largestTimestamp().timestampMs()
              : largestFrom(segment, start).timestampMs();
      if (ofSegment > largest) {
        largest = ofSegment;
        at = i;
      }
    }
    // What readers may see ends at the log end; a batch behind it is not there yet.
    return at < 0
        ? Optional.empty()
        : findIn(segments, at, largest, start, state.endAcquire().offset());
  }

  /** The largest timestamp of the batches from an offset on, for a segment that begins below it. */
  private LargestTimestamp largestFrom(Segment segment, long start) throws StorageException {
    LargestTimestamp whole = segment.largestTimestamp();
    if (whole.lastOffset() >= start && segment.baseOffset() >= start) {
      return whole;
    }
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      LargestTimestamp largest = new LargestTimestamp(TimeIndex.NO_TIMESTAMP, start);
      boolean more = SegmentLookup.seek(holder, walker, start, segment.sizeBytes());
      while (more) {
        long timestampMs = largestOf(walker, start);
        if (timestampMs > largest.timestampMs()) {
          largest = new LargestTimestamp(timestampMs, walker.batch().lastOffset());
        }
        more = walker.next();
      }
      return largest;
    }
  }

  private static long largestOf(BatchWalker walker, long start) throws StorageException {
    long first = walker.batch().baseOffset();
    if (first >= start) {
      return walker.batch().maxTimestamp();
    }
    long largest = TimeIndex.NO_TIMESTAMP;
    if (!walker.isSound()) {
      return largest;
    }
    try (RecordCursor cursor = new RecordCursor(new Decompressor())) {
      cursor.open(walker.readWhole());
      while (cursor.next()) {
        if (cursor.offset() >= start) {
          largest = Math.max(largest, cursor.timestampMs());
        }
      }
    }
    return largest;
  }
}
