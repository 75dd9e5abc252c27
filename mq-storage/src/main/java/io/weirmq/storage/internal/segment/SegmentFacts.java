package io.weirmq.storage.internal.segment;

import io.weirmq.index.TimeIndex;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.StorageException;

/** What is known of a segment only by reading its files. Safe for use by several threads. */
public final class SegmentFacts {

  private SegmentFacts() {}

  /**
   * Returns the offset behind the last batch, the base offset where there is none. Reads from the
   * last index entry on.
   *
   * @throws StorageException where the segment can't be read or is damaged
   */
  public static long nextOffset(Segment segment) throws StorageException {
    if (segment.sizeBytes() == 0) {
      return segment.baseOffset();
    }
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      if (SegmentLookup.seek(holder, walker, Long.MAX_VALUE, segment.sizeBytes())) {
        throw new CorruptSegmentException(
            holder.log().path(), walker.position(), "a batch has the largest offset there is");
      }
      Damage damage = segment.damages().endingAt(segment.sizeBytes());
      if (damage != null) {
        throw new CorruptSegmentException(
            holder.log().path(), damage.position(), damage.describe());
      }
      return walker.batch().nextOffset();
    }
  }

  /**
   * Tells whether the segment's last byte is that of the batch before an offset, and its indexes
   * end with entries of such batches. Reads from the last index entry below the offset on.
   *
   * @param offset above the base offset
   * @throws StorageException where the segment can't be read, or what is read is no batch
   */
  public static boolean endsAt(Segment segment, long offset) throws StorageException {
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      SegmentIndexes indexes = holder.indexes();
      boolean indexesFit =
          indexes.offsets().lastOffset() < offset && indexes.times().lastOffset() < offset;
      boolean ends =
          SegmentLookup.seek(holder, walker, offset - 1, segment.sizeBytes())
              && walker.batch().nextOffset() == offset
              && walker.nextPosition() == segment.sizeBytes();
      if (ends && indexesFit) {
        // Looks at the last time entry; the last offset entry was looked at by the seek.
        SegmentLookup.largestTimestamp(holder, walker);
      }
      return ends && indexesFit && !segment.indexesStale();
    }
  }

  /**
   * Returns the greatest timestamp of the first batch, -1 where there is none.
   *
   * @throws StorageException where the segment can't be read
   */
  public static long firstTimestampMs(Segment segment) throws StorageException {
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      walker.begin(holder, 0, segment.sizeBytes());
      return walker.next() ? walker.batch().maxTimestamp() : TimeIndex.NO_TIMESTAMP;
    }
  }
}
