package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.index.TimeIndex;
import java.io.IOException;

/**
 * Decides which batches of a segment get index entries: one whenever more than {@code
 * index.interval.bytes} were appended since the last, and a time entry at the same moments and at
 * the end. Confined to one thread.
 */
public final class IndexEntries {

  private long bytesSinceLastEntry;
  private LargestTimestamp largest;

  /** Begins with an empty segment. */
  public IndexEntries(long baseOffset) {
    this(0, new LargestTimestamp(TimeIndex.NO_TIMESTAMP, baseOffset));
  }

  private IndexEntries(long bytesSinceLastEntry, LargestTimestamp largest) {
    this.bytesSinceLastEntry = bytesSinceLastEntry;
    this.largest = largest;
  }

  /** Goes on with a segment that has batches and indexes. */
  static IndexEntries resume(SegmentIndexes indexes, int sizeBytes, LargestTimestamp largest) {
    return new IndexEntries(sizeBytes - indexes.offsets().lastPosition(), largest);
  }

  /** The largest timestamp so far. */
  public LargestTimestamp largest() {
    return largest;
  }

  /**
   * Takes a batch into account, in the order of the log.
   *
   * @param indexes get an entry where one is due
   * @param position where the batch starts
   * @throws IOException where an index page can't be written
   */
  public void onBatch(
      SegmentIndexes indexes,
      long lastOffset,
      long maxTimestampMs,
      int position,
      int sizeBytes,
      int intervalBytes)
      throws IOException {
    if (maxTimestampMs > largest.timestampMs()) {
      largest = new LargestTimestamp(maxTimestampMs, lastOffset);
    }
    if (bytesSinceLastEntry > intervalBytes) {
      OffsetIndex offsets = indexes.offsets();
      offsets.append(lastOffset, position);
      indexes.times().append(largest.timestampMs(), largest.lastOffset());
      bytesSinceLastEntry = 0;
    }
    bytesSinceLastEntry += sizeBytes;
  }

  /** Adds the time entry that ends a segment. */
  public void finish(SegmentIndexes indexes) throws IOException {
    indexes.times().append(largest.timestampMs(), largest.lastOffset());
  }
}
