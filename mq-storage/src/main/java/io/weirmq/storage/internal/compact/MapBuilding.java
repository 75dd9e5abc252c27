package io.weirmq.storage.internal.compact;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.log.CleanableSection;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.storage.record.RecordView;

/**
 * The first pass: notes the last offset of each key in the new part of a section. Confined to the
 * cleaner's thread.
 */
final class MapBuilding {

  private final CleanableSection section;
  private final OffsetMap map;
  private final TransactionStates transactions;
  private final BatchReader reader;
  private final RecordCursor cursor;
  private final BatchWalkers walkers;

  private long endOffset;

  MapBuilding(
      CleanableSection section,
      OffsetMap map,
      TransactionStates transactions,
      BatchReader reader,
      RecordCursor cursor,
      BatchWalkers walkers) {
    this.section = section;
    this.map = map;
    this.transactions = transactions;
    this.reader = reader;
    this.cursor = cursor;
    this.walkers = walkers;
    this.endOffset = section.endOffset();
  }

  /**
   * Fills the map.
   *
   * @return the offset below which the map knows all keys of the new part: the end of the section,
   *     or that of the first record whose key found no place
   * @throws StorageException where a segment can't be read or is damaged
   */
  long run() throws StorageException {
    int first = section.segments().floorIndex(section.firstDirtyOffset());
    for (int i = first; i < section.count(); i++) {
      if (!read(section.segments().get(i), section.segments().nextBaseOffset(i))) {
        break;
      }
    }
    return endOffset;
  }

  /** Returns false where the map is full. */
  private boolean read(Segment segment, long behind) throws StorageException {
    OpenSegment holder = segment.retain();
    try {
      int size = segment.sizeBytes();
      reader.begin(holder.log(), start(segment, holder, size), size, segment.baseOffset(), behind);
      while (reader.next()) {
        if (!take(reader.batch())) {
          return false;
        }
      }
      return true;
    } finally {
      holder.release();
    }
  }

  private int start(Segment segment, OpenSegment holder, int size) throws StorageException {
    if (section.firstDirtyOffset() <= segment.baseOffset()) {
      return 0;
    }
    BatchWalker walker = walkers.take();
    try {
      SegmentLookup.seek(holder, walker, section.firstDirtyOffset(), size);
      return walker.position();
    } finally {
      walkers.giveBack(walker);
    }
  }

  private boolean take(RecordBatch batch) throws StorageException {
    if (batch.isControl()) {
      transactions.onControl(batch);
      return true;
    }
    if (transactions.isAborted(batch)) {
      return true;
    }
    cursor.open(batch);
    while (cursor.next()) {
      RecordView record = cursor.record();
      if (record.hasKey()
          && cursor.offset() >= section.firstDirtyOffset()
          && !map.put(record.buffer(), record.keyPosition(), record.keyLength(), cursor.offset())) {
        endOffset = cursor.offset();
        return false;
      }
    }
    return true;
  }
}
