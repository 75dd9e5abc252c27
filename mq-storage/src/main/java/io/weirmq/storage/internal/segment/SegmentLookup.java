package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.index.TimeIndex;
import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds batches of a segment by offset and time. Safe for use by several threads.
 *
 * <p>What an index says is checked against the batch that it points to. One that is wrong is
 * reported to the segment, and the lookup goes on from an earlier entry or from the start, so that
 * the answer is right anyway.
 */
public final class SegmentLookup {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentLookup.class);

  /** Entries that are tried after a wrong one, before the scan begins at the start. */
  private static final int STALE_ENTRIES_MAX = 8;

  private SegmentLookup() {}

  /**
   * Moves a walker to the first sound batch whose last offset is at or above an offset; see {@link
   * Damages#endingAt} for whether one was passed over.
   *
   * @param holder the segment, open
   * @param walker begins where the index says
   * @param offset absolute
   * @param end position behind the last byte to look at, at most {@link Segment#sizeBytes()}
   * @return false where there is no such batch; the walker is at the end then
   * @throws StorageException where the file can't be read or is damaged
   */
  public static boolean seek(OpenSegment holder, BatchWalker walker, long offset, int end)
      throws StorageException {
    return seek(holder, walker, offset, end, SegmentEnd.UNKNOWN);
  }

  /**
   * As {@link #seek(OpenSegment, BatchWalker, long, int)}, where it is known what follows.
   *
   * @param known what follows the segment
   */
  public static boolean seek(
      OpenSegment holder, BatchWalker walker, long offset, int end, SegmentEnd known)
      throws StorageException {
    boolean there = goToEntry(holder, walker, offset, end);
    int from = there ? walker.position() : 0;
    if (known.isKnown()) {
      SegmentVerifier.through(holder, from, end, offset, known);
    }
    if (!there || !holder.owner().damages().all().isEmpty()) {
      walker.begin(holder, from, end);
      there = walker.next();
    }
    while (there && walker.batch().lastOffset() < offset) {
      there = walker.next();
    }
    return there;
  }

  /** Moves the walker to the batch of the last index entry at or below an offset. */
  private static boolean goToEntry(OpenSegment holder, BatchWalker walker, long offset, int end)
      throws StorageException {
    Segment segment = holder.owner();
    if (offset <= segment.baseOffset()) {
      return false;
    }
    OffsetIndex index = holder.indexes().offsets();
    try {
      int entry = index.floorEntry(offset);
      int first = Math.max(0, entry - STALE_ENTRIES_MAX);
      for (; entry >= first; entry--) {
        int position = index.position(entry);
        // An entry above the offset may be right by itself, but is none to begin at: the search
        // came to it past a wrong one.
        if (index.offset(entry) <= offset
            && startsBatch(holder, walker, position, index.offset(entry), end)) {
          return true;
        }
        segment.noteMisplacedEntry(index.toString(), index.offset(entry), position);
      }
    } catch (StorageException e) {
      throw e;
    } catch (ClosedChannelException e) {
      // The index was made anew meanwhile and this is the old one; the scan is right anyway.
      LOG.debug("{} was closed during a lookup", index, e);
    } catch (IOException e) {
      segment.noteMisplacedEntry(index + " " + e.getMessage(), offset, -1);
    }
    return false;
  }

  /**
   * Returns an offset at or below that of the first record with a timestamp at or above a time, as
   * the time index tells it. A time entry is believed only after its batch was found to have that
   * timestamp.
   *
   * @param holder the segment, open
   * @param walker is moved
   * @throws StorageException where the file can't be read or is damaged
   */
  public static long offsetBefore(OpenSegment holder, BatchWalker walker, long timestampMs)
      throws StorageException {
    Segment segment = holder.owner();
    TimeIndex index = holder.indexes().times();
    try {
      int entry = index.floorEntry(timestampMs);
      int first = Math.max(0, entry - STALE_ENTRIES_MAX);
      for (; entry >= first; entry--) {
        long offset = index.offset(entry);
        if (index.timestampMs(entry) <= timestampMs
            && seek(holder, walker, offset, segment.sizeBytes())
            && walker.batch().lastOffset() == offset
            && walker.batch().maxRecordTimestamp() == index.timestampMs(entry)) {
          return offset;
        }
        segment.noteMisplacedEntry(index.toString(), offset, walker.position());
      }
    } catch (StorageException e) {
      throw e;
    } catch (ClosedChannelException e) {
      LOG.debug("{} was closed during a lookup", index, e);
    } catch (IOException e) {
      segment.noteMisplacedEntry(index + " " + e.getMessage(), segment.baseOffset(), -1);
    }
    return segment.baseOffset();
  }

  private static boolean startsBatch(
      OpenSegment holder, BatchWalker walker, int position, long lastOffset, int end)
      throws StorageException {
    if (position < 0 || position >= end) {
      return false;
    }
    walker.begin(holder, position, end);
    return walker.tryNext() && walker.batch().lastOffset() == lastOffset;
  }

  /** The largest timestamp, from the time index where that is right, else from the batches. */
  static LargestTimestamp largestTimestamp(OpenSegment holder, BatchWalker walker)
      throws StorageException {
    Segment segment = holder.owner();
    int end = segment.sizeBytes();
    TimeIndex times = holder.indexes().times();
    LargestTimestamp largest = new LargestTimestamp(TimeIndex.NO_TIMESTAMP, segment.baseOffset());
    int from = 0;
    try {
      int count = times.count();
      if (count > 0) {
        long offset = times.offset(count - 1);
        if (seek(holder, walker, offset, end)
            && walker.batch().maxRecordTimestamp() == times.timestampMs(count - 1)) {
          largest = new LargestTimestamp(times.timestampMs(count - 1), offset);
          if (!segment.isActive()) {
            return largest;
          }
          from = walker.position();
        } else {
          segment.noteMisplacedEntry(times.toString(), offset, walker.position());
        }
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      segment.noteMisplacedEntry(times.toString() + " " + e.getMessage(), segment.baseOffset(), -1);
    }
    walker.begin(holder, from, end);
    while (walker.next()) {
      if (walker.batch().maxRecordTimestamp() > largest.timestampMs()) {
        largest =
            new LargestTimestamp(walker.batch().maxRecordTimestamp(), walker.batch().lastOffset());
      }
    }
    return largest;
  }
}
