package io.weirmq.storage.internal.compact;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.storage.record.RecordView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The second pass over a group of segments: writes what stays of them. Confined to the cleaner's
 * thread.
 */
final class GroupRewrite {

  private final RecordFilter filter;
  private final TransactionStates transactions;
  private final BatchReader reader;
  private final RecordCursor cursor;
  private final BatchRewriter rewriter;
  private final long horizonMs;

  private long groupEnd;
  private long recordsRead;
  private long recordsKept;

  /**
   * Prepares the pass over all groups of a run.
   *
   * @param horizonMs until when tombstones and markers stay that this run is the first to look at
   */
  GroupRewrite(
      RecordFilter filter,
      TransactionStates transactions,
      BatchReader reader,
      RecordCursor cursor,
      BatchRewriter rewriter,
      long horizonMs) {
    this.filter = filter;
    this.transactions = transactions;
    this.reader = reader;
    this.cursor = cursor;
    this.rewriter = rewriter;
    this.horizonMs = horizonMs;
  }

  /** Records read so far. */
  long recordsRead() {
    return recordsRead;
  }

  /** Records written so far. */
  long recordsKept() {
    return recordsKept;
  }

  /**
   * Reads a group and writes what stays.
   *
   * @param endOffset at which the segment behind the group begins
   * @throws StorageException where a segment can't be read or is damaged, or the disk refuses
   */
  void run(List<Segment> group, long endOffset, GroupOutput output) throws StorageException {
    groupEnd = endOffset;
    for (int i = 0; i < group.size(); i++) {
      Segment segment = group.get(i);
      long behind = i + 1 < group.size() ? group.get(i + 1).baseOffset() : endOffset;
      OpenSegment holder = segment.retain();
      try {
        reader.begin(holder.log(), 0, segment.sizeBytes(), segment.baseOffset(), behind);
        while (reader.next()) {
          recordsRead += reader.batch().recordCount();
          if (reader.batch().isControl()) {
            takeControl(reader.batch(), output);
          } else {
            takeData(reader.batch(), output);
          }
        }
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        throw new StorageException("%s can't be compacted: %s".formatted(segment, e), e);
      } finally {
        holder.release();
      }
    }
  }

  private void takeControl(RecordBatch batch, GroupOutput output) throws IOException {
    TransactionStates.Marker marker = transactions.onControl(batch);
    if (marker.ofNothing() && (filter.isPastHorizon(batch) || batch.recordCount() == 0)) {
      keepHeaderWhereNeeded(batch, output);
      return;
    }
    if (marker.ofNothing() && !batch.hasDeleteHorizon()) {
      rewriter.begin();
      cursor.open(batch);
      while (cursor.next()) {
        rewriter.add(cursor.record(), cursor.timestampMs());
      }
      write(rewriter.finishWithHorizon(batch, horizonMs), output);
    } else {
      copy(batch, output);
    }
    Optional<io.weirmq.storage.AbortedTransaction> aborted = marker.aborted();
    if (aborted.isPresent()) {
      output.add(aborted.get());
    }
  }

  private void takeData(RecordBatch batch, GroupOutput output) throws IOException {
    if (transactions.isAborted(batch) || batch.recordCount() == 0) {
      keepHeaderWhereNeeded(batch, output);
      return;
    }
    boolean pastHorizon = filter.isPastHorizon(batch);
    boolean tombstones = false;
    rewriter.begin();
    cursor.open(batch);
    while (cursor.next()) {
      RecordView record = cursor.record();
      if (filter.stays(record, cursor.offset(), pastHorizon)) {
        tombstones |= filter.isCountedTombstone(record, cursor.offset());
        rewriter.add(record, cursor.timestampMs());
      }
    }
    boolean needsHorizon = tombstones && !batch.hasDeleteHorizon();
    if (rewriter.count() == 0) {
      keepHeaderWhereNeeded(batch, output);
    } else if (needsHorizon) {
      write(rewriter.finishWithHorizon(batch, horizonMs), output);
    } else if (rewriter.count() == batch.recordCount()) {
      copy(batch, output);
    } else {
      write(rewriter.finish(batch), output);
    }
  }

  private void keepHeaderWhereNeeded(RecordBatch batch, GroupOutput output)
      throws StorageException {
    if (filter.isHeaderNeeded(batch, groupEnd)) {
      write(rewriter.emptied(batch), output);
    }
  }

  private void copy(RecordBatch batch, GroupOutput output) throws StorageException {
    output.add(batch, batch.buffer(), batch.position());
    recordsKept += batch.recordCount();
  }

  private void write(ByteBuffer bytes, GroupOutput output) throws StorageException {
    RecordBatch batch = RecordBatch.of(bytes);
    output.add(batch, bytes, 0);
    recordsKept += batch.recordCount();
  }
}
