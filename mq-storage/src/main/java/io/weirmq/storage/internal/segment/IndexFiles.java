package io.weirmq.storage.internal.segment;

import io.weirmq.index.CorruptIndexException;
import io.weirmq.index.OffsetIndex;
import io.weirmq.index.PageBudget;
import io.weirmq.index.TimeIndex;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index files of a segment: opened, made anew from the batches, or cut. Confined to one thread
 * at a time (the segment's lock).
 *
 * <p>A rebuild writes to temporary files, which take the places of the old ones when they are
 * whole; who holds the old ones goes on with them.
 */
final class IndexFiles {

  private static final Logger LOG = LoggerFactory.getLogger(IndexFiles.class);

  private final LogFileSystem files;
  private final BatchWalkers walkers;
  private final PageBudget pages;
  private final Path offsetFile;
  private final Path timeFile;
  private final long baseOffset;
  private final int intervalBytes;

  IndexFiles(
      SegmentEnvironment environment,
      Path offsetFile,
      Path timeFile,
      long baseOffset,
      int intervalBytes) {
    this.files = environment.files();
    this.walkers = environment.walkers();
    this.pages = environment.openSegments().indexPages();
    this.offsetFile = offsetFile;
    this.timeFile = timeFile;
    this.baseOffset = baseOffset;
    this.intervalBytes = intervalBytes;
  }

  /** What a rebuild found. */
  record Rebuilt(SegmentIndexes indexes, LargestTimestamp largest) {}

  /**
   * Opens the indexes where they can be those of the segment.
   *
   * @param sizeBytes of the segment; the files are made where it is 0
   * @return empty where they are missing or can't be of the segment
   */
  Optional<SegmentIndexes> openUsable(int sizeBytes) throws IOException {
    if (sizeBytes > 0 && !(files.exists(offsetFile) && files.exists(timeFile))) {
      return Optional.empty();
    }
    try {
      SegmentIndexes indexes = open();
      boolean ofSegment =
          sizeBytes > 0
              ? indexes.offsets().lastPosition() < sizeBytes
              : indexes.offsets().count() == 0 && indexes.times().count() == 0;
      if (ofSegment) {
        return Optional.of(indexes);
      }
      indexes.close();
    } catch (CorruptIndexException e) {
      LOG.info("index is made anew: {}", e.getMessage());
    }
    return Optional.empty();
  }

  private SegmentIndexes open() throws IOException {
    return SegmentIndexes.open(files, pages, offsetFile, timeFile, baseOffset);
  }

  /**
   * Makes the indexes anew from the batches of a log file.
   *
   * @throws IOException where the files can't be written; what was begun is gone again
   */
  Rebuilt rebuild(OpenSegment log, int sizeBytes) throws IOException {
    LOG.info("indexes of segment {} are made anew from its batches", log.log().path());
    Path newOffsetFile = temporary(offsetFile);
    Path newTimeFile = temporary(timeFile);
    try {
      return rebuild(log, sizeBytes, newOffsetFile, newTimeFile);
    } catch (IOException e) {
      removeAfter(e, newOffsetFile);
      removeAfter(e, newTimeFile);
      throw e;
    }
  }

  private Rebuilt rebuild(OpenSegment log, int sizeBytes, Path newOffsetFile, Path newTimeFile)
      throws IOException {
    files.deleteIfExists(newOffsetFile);
    files.deleteIfExists(newTimeFile);
    SegmentIndexes indexes =
        SegmentIndexes.open(files, pages, newOffsetFile, newTimeFile, baseOffset);
    try {
      LargestTimestamp largest = fill(indexes, log, sizeBytes);
      indexes.force();
      files.rename(newOffsetFile, offsetFile);
      files.rename(newTimeFile, timeFile);
      return new Rebuilt(indexes, largest);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, indexes);
      throw e;
    }
  }

  /** As {@link #rebuild}, without files. */
  Rebuilt rebuildOnHeap(OpenSegment log, int sizeBytes) throws IOException {
    SegmentIndexes indexes = SegmentIndexes.onHeap(String.valueOf(log.log().path()), baseOffset);
    return new Rebuilt(indexes, fill(indexes, log, sizeBytes));
  }

  private void removeAfter(IOException cause, Path file) {
    try {
      files.deleteIfExists(file);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private static void closeAfter(Exception cause, SegmentIndexes indexes) {
    try {
      indexes.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private LargestTimestamp fill(SegmentIndexes indexes, OpenSegment log, int sizeBytes)
      throws IOException {
    return fill(indexes, new IndexEntries(baseOffset), log, 0, baseOffset, sizeBytes);
  }

  /**
   * Adds the entries of the batches from a position on.
   *
   * @param from where the batch with the offset {@code fromOffset}, or a later one, starts
   */
  private LargestTimestamp fill(
      SegmentIndexes indexes,
      IndexEntries entries,
      OpenSegment log,
      int from,
      long fromOffset,
      int sizeBytes)
      throws IOException {
    BatchWalker walker = walkers.take();
    try {
      long expected = fromOffset;
      walker.begin(log, from, sizeBytes);
      while (walker.next()) {
        long first = walker.batch().baseOffset();
        long last = walker.batch().lastOffset();
        long maxTimestampMs = walker.batch().maxRecordTimestamp();
        int size = walker.batch().sizeInBytes();
        if (!isPlausible(walker, first, last, expected) && !walker.isSound()) {
          continue;
        }
        ensureInPlace(log, walker, first, last, expected);
        expected = last + 1;
        entries.onBatch(indexes, last, maxTimestampMs, walker.position(), size, intervalBytes);
      }
    } finally {
      walkers.giveBack(walker);
    }
    // Of an active segment too: a time entry more is right at any moment.
    entries.finish(indexes);
    return entries.largest();
  }

  /** Whether a batch lies behind the one before and ahead of the one behind. */
  private boolean isPlausible(BatchWalker walker, long first, long last, long expected)
      throws IOException {
    return first >= expected
        && OffsetIndex.fits(baseOffset, last)
        && !(walker.peek() && walker.peeked().baseOffset() <= last);
  }

  private void ensureInPlace(
      OpenSegment log, BatchWalker walker, long first, long last, long expected)
      throws CorruptSegmentException {
    if (first < expected || !OffsetIndex.fits(baseOffset, last)) {
      throw new CorruptSegmentException(
          log.log().path(),
          walker.position(),
          "batch has offsets %d..%d; expected %d to %d"
              .formatted(first, last, expected, baseOffset + Integer.MAX_VALUE));
    }
  }

  /**
   * Drops the entries at and above an offset.
   *
   * @return false where the files are damaged and have to be made anew
   */
  boolean cut(long endOffset) throws IOException {
    try (SegmentIndexes indexes = open()) {
      indexes.offsets().truncateTo(endOffset);
      indexes.times().truncateTo(endOffset);
      indexes.trim();
      indexes.force();
      return true;
    } catch (CorruptIndexException e) {
      LOG.info("index is made anew: {}", e.getMessage());
      return false;
    }
  }

  /**
   * Cuts the files to the entries of a mark, durably.
   *
   * @return false where they don't end there as the mark says, and have to be made anew
   * @throws IOException where they can't be read or cut
   */
  boolean cutTo(IndexMark mark) throws IOException {
    if (!cut(offsetFile, (long) mark.offsetEntries() * OffsetIndex.ENTRY_BYTES)
        || !cut(timeFile, (long) mark.timeEntries() * TimeIndex.ENTRY_BYTES)) {
      return false;
    }
    try (SegmentIndexes indexes = open()) {
      indexes.force();
      return IndexMark.of(indexes).equals(mark);
    } catch (CorruptIndexException e) {
      LOG.info("index does not end as a checkpoint says: {}", e.getMessage());
      return false;
    }
  }

  private boolean cut(Path file, long length) throws IOException {
    if (!files.exists(file) || files.size(file) < length) {
      return false;
    }
    try (LogFile opened = files.open(file, OpenMode.READ_WRITE)) {
      opened.truncate(length);
    }
    return true;
  }

  /**
   * Opens files that end with a mark and adds the entries of the batches behind it, durably.
   *
   * @param from position behind the batches that the mark covers
   * @param fromOffset offset behind them
   * @throws IOException where the files can't be read or written; they are gone then
   */
  Rebuilt extend(OpenSegment log, IndexMark mark, int from, long fromOffset, int sizeBytes)
      throws IOException {
    try {
      SegmentIndexes indexes = open();
      try {
        LargestTimestamp largest =
            fill(indexes, IndexEntries.behind(mark, from), log, from, fromOffset, sizeBytes);
        indexes.force();
        return new Rebuilt(indexes, largest);
      } catch (IOException | RuntimeException e) {
        closeAfter(e, indexes);
        throw e;
      }
    } catch (IOException e) {
      removeAfter(e, offsetFile);
      removeAfter(e, timeFile);
      throw e;
    }
  }

  void delete() throws IOException {
    files.deleteIfExists(offsetFile);
    files.deleteIfExists(timeFile);
  }

  static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + SegmentFileKind.TEMPORARY_SUFFIX);
  }
}
