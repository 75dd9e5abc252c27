package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds where sound batches go on behind a damaged one, whose length may be what is damaged.
 *
 * <p>Looked at are: the place that the damaged batch's length names, then every byte behind it that
 * can begin a header. The first is taken where a sound batch lies there whose base offset is the
 * one that the damaged header leads to, as two fields of it agree then. Any other is taken where a
 * chain of sound batches leads from it to an anchor: a batch that the offset index knows, or the
 * end of the segment. A batch that is the value of a record leads to none. Where no place does, it
 * is the anchor itself.
 *
 * <p>Confined to one thread; made per search.
 */
final class SoundBatchSearch {

  /** Index entries that are tried for an anchor. */
  private static final int ANCHORS_MAX = 64;

  /** Sound batches in a row that do for a chain where there is no anchor on the way. */
  private static final int CHAIN_MAX = 64;

  private static final int WINDOW_BYTES = 64 * 1024;

  private final OpenSegment holder;
  private final BatchWalker walker;
  private final BatchChecksum checksum;
  private final int end;

  private long minOffset;
  private long maxOffset;
  private long claimedNextOffset;

  SoundBatchSearch(OpenSegment holder, BatchWalker walker, BatchChecksum checksum, int end) {
    this.holder = holder;
    this.walker = walker;
    this.checksum = checksum;
    this.end = end;
  }

  /**
   * Searches.
   *
   * @param position of the damaged batch
   * @param firstOffset the smallest offset that may follow
   * @param endOffset the offset behind the segment
   * @return where the next sound batch starts; the end of the segment where none does
   */
  int behind(int position, long firstOffset, long endOffset) throws IOException {
    minOffset = firstOffset;
    maxOffset = endOffset;
    int anchor = anchorBehind(position);
    int claimed = claimedEnd(position);
    if (claimed > position
        && claimed <= anchor
        && (claimed == anchor || follows(claimed) || leads(claimed, anchor))) {
      return claimed;
    }
    ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES);
    int from = position + 1;
    while (anchor - from >= RecordBatch.HEADER_BYTES) {
      int length = Math.min(WINDOW_BYTES, anchor - from);
      holder.log().readFully(window.clear().limit(length), from);
      int starts = length - RecordBatch.HEADER_BYTES + 1;
      for (int i = 0; i < starts; i++) {
        if (canStart(window, i, from + i, anchor) && leads(from + i, anchor)) {
          return from + i;
        }
      }
      from += starts;
    }
    return anchor;
  }

  private int claimedEnd(int position) throws StorageException {
    walker.begin(holder.log(), position, end);
    if (walker.nextOrProblem() != null) {
      return position;
    }
    claimedNextOffset = walker.batch().nextOffset();
    return walker.nextPosition();
  }

  /** Whether the batch at the place that is claimed is sound and has the offset that is claimed. */
  private boolean follows(int claimed) throws IOException {
    return isSound(claimed) && walker.batch().baseOffset() == claimedNextOffset;
  }

  /** The first position behind another at which a batch that the index knows is sound. */
  private int anchorBehind(int position) throws IOException {
    SegmentIndexes indexes = holder.indexesIfOpen();
    if (indexes == null) {
      return end; // They are about to be made anew, and this is a part of it.
    }
    OffsetIndex index = indexes.offsets();
    int entry = firstEntryBehind(index, position);
    int last = Math.min(index.count(), entry + ANCHORS_MAX);
    for (; entry < last; entry++) {
      int candidate = index.position(entry);
      if (candidate > position
          && candidate < end
          && isSound(candidate)
          && walker.batch().lastOffset() == index.offset(entry)) {
        return candidate;
      }
    }
    return end;
  }

  private static int firstEntryBehind(OffsetIndex index, int position) throws IOException {
    int low = 0;
    int high = index.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (index.position(middle) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean canStart(ByteBuffer window, int at, int position, int anchor) {
    if (window.get(at + RecordBatch.MAGIC_POSITION) != RecordBatch.MAGIC_V2) {
      return false;
    }
    long size = (long) window.getInt(at + Long.BYTES) + RecordBatch.LOG_OVERHEAD_BYTES;
    long baseOffset = window.getLong(at);
    return size >= RecordBatch.HEADER_BYTES
        && size <= anchor - position
        && baseOffset >= minOffset
        && baseOffset < maxOffset;
  }

  /** Whether sound batches with rising offsets lead from one position to another. */
  private boolean leads(int from, int to) throws IOException {
    int next = from;
    long offset = minOffset;
    for (int count = 0; next < to; count++) {
      if (!isSound(next) || walker.batch().baseOffset() < offset) {
        return false;
      }
      offset = walker.batch().nextOffset();
      next = walker.nextPosition();
      if (to == end && count >= CHAIN_MAX) {
        return true;
      }
    }
    return next == to;
  }

  private boolean isSound(int position) throws IOException {
    walker.begin(holder.log(), position, end);
    return walker.nextOrProblem() == null
        && walker.batch().baseOffset() >= minOffset
        && walker.batch().nextOffset() <= maxOffset
        && checksum.of(position, walker.batch().sizeInBytes()) == walker.batch().crc();
  }
}
