package io.weirmq.storage.internal.log;

import io.weirmq.index.TimeIndex;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.IndexEntries;
import io.weirmq.storage.internal.segment.IndexMark;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFacts;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segment that is written, with what only its writer knows. Confined to the log's writer. */
final class ActiveSegment {

  private static final Logger LOG = LoggerFactory.getLogger(ActiveSegment.class);

  private final Segment segment;
  private final IndexEntries entries;
  private final long openedAtMs;
  private long firstTimestampMs;
  private boolean indexFailed;
  private int lastBatchPosition;
  private int lastBatchCrc;

  private ActiveSegment(
      Segment segment, IndexEntries entries, long firstTimestampMs, long openedAtMs) {
    this.segment = segment;
    this.entries = entries;
    this.firstTimestampMs = firstTimestampMs;
    this.openedAtMs = openedAtMs;
  }

  /** Takes an empty segment over. */
  static ActiveSegment empty(Segment segment, long nowMs) {
    return new ActiveSegment(
        segment, new IndexEntries(segment.baseOffset()), TimeIndex.NO_TIMESTAMP, nowMs);
  }

  /**
   * Goes on with a segment that may have batches.
   *
   * @throws StorageException where it can't be read
   */
  static ActiveSegment resume(Segment segment, long nowMs) throws StorageException {
    return segment.sizeBytes() == 0
        ? empty(segment, nowMs)
        : new ActiveSegment(
            segment, IndexEntries.resume(segment), SegmentFacts.firstTimestampMs(segment), nowMs);
  }

  Segment segment() {
    return segment;
  }

  /** Largest timestamp of the first batch, -1 where there is none. */
  long firstTimestampMs() {
    return firstTimestampMs;
  }

  /** Wall clock when the segment was made, or opened after a restart. */
  long openedAtMs() {
    return openedAtMs;
  }

  /** Where the batch starts that was written last, since the segment was opened. */
  int lastBatchPosition() {
    return lastBatchPosition;
  }

  /** The checksum in that batch's header. */
  int lastBatchCrc() {
    return lastBatchCrc;
  }

  /** Notes batches that were written from a position on. */
  void onWritten(OpenSegment holder, StagedBatches batches, int position, int intervalBytes)
      throws StorageException {
    if (position == 0) {
      firstTimestampMs = batches.maxTimestampMs(0);
    }
    int next = position;
    for (int i = 0; i < batches.count(); i++) {
      index(holder, batches, i, next, intervalBytes);
      next += batches.sizeBytes(i);
    }
    lastBatchPosition = next - batches.sizeBytes(batches.count() - 1);
    lastBatchCrc = batches.crc(batches.count() - 1);
    segment.publishSize(next);
    segment.largestTimestamp(entries.largest());
  }

  private void index(
      OpenSegment holder, StagedBatches batches, int batch, int position, int intervalBytes)
      throws StorageException {
    try {
      entries.onBatch(
          holder.indexes(),
          batches.lastOffset(batch),
          batches.maxTimestampMs(batch),
          position,
          batches.sizeBytes(batch),
          intervalBytes);
      indexFailed = false;
    } catch (IllegalArgumentException e) {
      // What the index has behind this batch can't be true.
      segment.noteRefusedEntry(e);
    } catch (IOException e) {
      // The batch is in the log, and an index that lacks an entry is right: only slower.
      if (!indexFailed) {
        indexFailed = true;
        LOG.warn("index of {} gets no entries for now: {}", segment, e.toString());
      }
    }
  }

  /**
   * Puts all index entries so far into the files.
   *
   * @return where the indexes end; empty where they have to be made anew
   * @throws StorageException where they can't be written
   */
  Optional<IndexMark> markIndexes() throws StorageException {
    return entries.mark(segment);
  }

  /**
   * Ends the segment: its indexes are whole and in the files.
   *
   * @throws StorageException where they can't be written
   */
  void finish() throws StorageException {
    entries.finish(segment);
  }
}
