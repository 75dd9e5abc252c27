package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.index.TimeIndex;
import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.util.Optional;

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

  /**
   * Goes on with a segment that has batches. Writer only.
   *
   * @throws StorageException where the segment can't be read
   */
  public static IndexEntries resume(Segment segment) throws StorageException {
    LargestTimestamp largest = segment.largestTimestamp();
    OpenSegment holder = segment.retain();
    try {
      int indexedTo = holder.indexes().offsets().lastPosition();
      return new IndexEntries(segment.sizeBytes() - indexedTo, largest);
    } finally {
      holder.release();
    }
  }

  /** Goes on behind a mark, at a position in the log file. */
  static IndexEntries behind(IndexMark mark, int position) {
    return new IndexEntries(position - mark.lastPosition(), mark.largest());
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
   * @throws IllegalArgumentException where the index holds entries that can't be true
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

  /**
   * Writes the last time entry and all index entries of a segment, so that it can rest. Writer
   * only.
   *
   * @throws StorageException where the disk refuses
   */
  public void finish(Segment segment) throws StorageException {
    OpenSegment holder = segment.retain();
    try {
      finish(holder.indexes());
      holder.indexes().trim();
    } catch (IllegalArgumentException e) {
      segment.noteRefusedEntry(e);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "indexes of %s can't be written: %s".formatted(holder.log().path(), e), e);
    } finally {
      holder.release();
    }
  }

  /**
   * Writes the last time entry and all index entries so far, of a segment that is written on.
   * Writer only.
   *
   * @return where the indexes end; empty where they have to be made anew
   * @throws StorageException where the disk refuses
   */
  public Optional<IndexMark> mark(Segment segment) throws StorageException {
    OpenSegment holder = segment.retain();
    try {
      SegmentIndexes indexes = holder.indexes();
      finish(indexes);
      indexes.flush();
      return segment.indexesStale() ? Optional.empty() : Optional.of(IndexMark.of(indexes));
    } catch (IllegalArgumentException e) {
      segment.noteRefusedEntry(e);
      return Optional.empty();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "indexes of %s can't be written: %s".formatted(holder.log().path(), e), e);
    } finally {
      holder.release();
    }
  }

  /** Adds the time entry that ends a segment. */
  void finish(SegmentIndexes indexes) throws IOException {
    indexes.times().append(largest.timestampMs(), largest.lastOffset());
  }
}
