package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the indexes of a segment, and makes them anew from its batches where they are missing,
 * can't be of the segment, or were found to be stale. Works under the segment's lock.
 */
public final class SegmentRepair {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentRepair.class);

  private SegmentRepair() {}

  /** Opens the indexes. The caller holds the segment's lock. */
  static SegmentIndexes openOrRebuild(Segment segment, OpenSegment holder) throws StorageException {
    try {
      Optional<SegmentIndexes> usable = segment.indexFiles().openUsable(segment.sizeBytes());
      if (usable.isPresent()) {
        return usable.get();
      }
    } catch (IOException e) {
      LOG.warn("indexes of {} can't be opened: {}", holder.log().path(), e.toString());
    }
    return rebuild(segment, holder);
  }

  /**
   * Opens indexes that end with a mark and adds the entries of the batches behind it; where that
   * can't be, they are made anew.
   *
   * @param from position behind the batches that the mark covers
   * @param fromOffset offset behind them
   */
  static void extend(Segment segment, OpenSegment holder, IndexMark mark, int from, long fromOffset)
      throws StorageException {
    synchronized (segment) {
      try {
        IndexFiles.Rebuilt extended =
            segment.indexFiles().extend(holder, mark, from, fromOffset, segment.sizeBytes());
        segment.onRebuilt(extended.largest(), true);
        holder.indexes(extended.indexes());
      } catch (IOException e) {
        LOG.warn("indexes of {} can't be extended: {}", holder.log().path(), e.toString());
        holder.indexes(rebuild(segment, holder));
      }
    }
  }

  private static SegmentIndexes rebuild(Segment segment, OpenSegment holder)
      throws StorageException {
    try {
      IndexFiles.Rebuilt rebuilt = segment.indexFiles().rebuild(holder, segment.sizeBytes());
      segment.onRebuilt(rebuilt.largest(), true);
      return rebuilt.indexes();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      // Reads need no room on the disk. The next retention pass tries the files again.
      LOG.warn(
          "indexes of {} can't be written and are kept in memory: {}",
          holder.log().path(),
          e.toString());
      return rebuildOnHeap(segment, holder);
    }
  }

  private static SegmentIndexes rebuildOnHeap(Segment segment, OpenSegment holder)
      throws StorageException {
    try {
      IndexFiles.Rebuilt rebuilt = segment.indexFiles().rebuildOnHeap(holder, segment.sizeBytes());
      segment.onRebuilt(rebuilt.largest(), false);
      return rebuilt.indexes();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "indexes of %s can't be made anew: %s".formatted(holder.log().path(), e), e);
    }
  }

  /**
   * Makes indexes anew that were found to be stale. Of an active segment the writer only may call
   * it.
   *
   * @throws StorageException where the batches can't be read or the files not written
   */
  public static void repair(Segment segment) throws StorageException {
    OpenSegment current = segment.retain();
    try {
      synchronized (segment) {
        if (!segment.indexesStale()) {
          return;
        }
        // Those who hold the old indexes go on with them, and scan where they are wrong.
        SegmentIndexes old = current.indexesIfOpen();
        current.indexes(rebuild(segment, current));
        if (old != null) {
          old.close();
        }
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "old indexes of %s can't be closed: %s".formatted(current.log().path(), e), e);
    } finally {
      current.release();
    }
  }
}
