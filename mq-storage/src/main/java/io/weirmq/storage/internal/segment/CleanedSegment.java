package io.weirmq.storage.internal.segment;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A segment that compaction writes, beside the log and out of its readers' sight.
 *
 * <pre>
 *   .cleaned   being written; a restart removes it
 *   .swap      whole and on the disk; a restart puts it in place     {@link #offer}
 *   none       a segment of the log                                  {@link Segment#settle}
 * </pre>
 *
 * <p>Confined to one thread (the cleaner's).
 */
public final class CleanedSegment implements AutoCloseable {

  private final SegmentEnvironment environment;
  private final LogFileSystem files;
  private final Path folder;
  private final long baseOffset;
  private final int indexIntervalBytes;
  private final LogFile log;
  private final SegmentIndexes indexes;
  private final IndexEntries entries;
  private final List<AbortedTransaction> aborted = new ArrayList<>();

  private int sizeBytes;
  private int writtenBytes;
  private boolean closed;

  private CleanedSegment(
      SegmentEnvironment environment,
      Path folder,
      long baseOffset,
      int indexIntervalBytes,
      LogFile log,
      SegmentIndexes indexes) {
    this.environment = environment;
    this.files = environment.files();
    this.folder = folder;
    this.baseOffset = baseOffset;
    this.indexIntervalBytes = indexIntervalBytes;
    this.log = log;
    this.indexes = indexes;
    this.entries = new IndexEntries(baseOffset);
  }

  /**
   * Begins a segment; what an attempt that failed has left of it is removed.
   *
   * @throws StorageException where the files can't be made
   */
  public static CleanedSegment create(
      SegmentEnvironment environment, Path folder, long baseOffset, int indexIntervalBytes)
      throws StorageException {
    LogFileSystem files = environment.files();
    Path file = cleaned(folder, SegmentFileKind.LOG, baseOffset);
    try {
      deleteAll(files, folder, baseOffset);
      LogFile log = files.open(file, OpenMode.CREATE_NEW);
      try {
        SegmentIndexes indexes =
            SegmentIndexes.open(
                files,
                environment.openSegments().indexPages(),
                cleaned(folder, SegmentFileKind.OFFSET_INDEX, baseOffset),
                cleaned(folder, SegmentFileKind.TIME_INDEX, baseOffset),
                baseOffset);
        return new CleanedSegment(
            environment, folder, baseOffset, indexIntervalBytes, log, indexes);
      } catch (IOException e) {
        log.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be made: %s".formatted(file, e), e);
    }
  }

  private static Path cleaned(Path folder, SegmentFileKind kind, long baseOffset) {
    Path file = kind.in(folder, baseOffset);
    return file.resolveSibling(file.getFileName() + SegmentFileKind.CLEANED_SUFFIX);
  }

  private static void deleteAll(LogFileSystem files, Path folder, long baseOffset)
      throws IOException {
    for (SegmentFileKind kind : Segment.FILES) {
      files.deleteIfExists(cleaned(folder, kind, baseOffset));
    }
  }

  /** The offset in the segment's name. */
  public long baseOffset() {
    return baseOffset;
  }

  /** The bytes added so far. */
  public int sizeBytes() {
    return sizeBytes;
  }

  /**
   * Whether a batch may be added.
   *
   * @param segmentBytes size that the segment may have; one batch may always be larger
   * @param indexBytes size that an index may have
   */
  public boolean hasRoom(int batchBytes, long lastOffset, int segmentBytes, int indexBytes) {
    return OffsetIndex.fits(baseOffset, lastOffset)
        && (sizeBytes == 0
            || ((long) sizeBytes + batchBytes <= segmentBytes
                && !indexes.offsets().isFull(indexBytes, 0)
                && !indexes.times().isFull(indexBytes, 0)));
  }

  /**
   * Notes a batch that follows; its bytes come with {@link #write}.
   *
   * @throws StorageException where an index can't be written
   */
  public void add(long lastOffset, long maxTimestampMs, int batchBytes) throws StorageException {
    try {
      entries.onBatch(
          indexes, lastOffset, maxTimestampMs, sizeBytes, batchBytes, indexIntervalBytes);
    } catch (IOException e) {
      throw new StorageException("indexes of %s can't be written: %s".formatted(log.path(), e), e);
    }
    sizeBytes += batchBytes;
  }

  /**
   * Writes bytes of noted batches behind those written before.
   *
   * @param bytes from position to limit; the position is moved behind them
   * @throws StorageException where the disk refuses
   */
  public void write(ByteBuffer bytes) throws StorageException {
    int length = bytes.remaining();
    try {
      log.writeFully(bytes, writtenBytes);
      writtenBytes += length;
    } catch (IOException e) {
      throw new StorageException(
          "%d bytes can't be written to %s at position %d: %s"
              .formatted(length, log.path(), writtenBytes, e),
          e);
    }
  }

  /** Adds an aborted transaction of which the log still has the marker. */
  public void add(AbortedTransaction transaction) {
    aborted.add(transaction);
  }

  /**
   * Puts everything on the disk and closes the files. All noted batches were written.
   *
   * @throws StorageException where the disk refuses
   */
  public void finish() throws StorageException {
    if (writtenBytes != sizeBytes) {
      throw new IllegalStateException(
          "%s has %d bytes; %d were noted".formatted(log.path(), writtenBytes, sizeBytes));
    }
    try (LogFile transactions =
        files.open(
            cleaned(folder, SegmentFileKind.TRANSACTION_INDEX, baseOffset), OpenMode.CREATE_NEW)) {
      log.force();
      entries.finish(indexes);
      indexes.trim();
      indexes.force();
      transactions.writeFully(encoded(), 0);
      transactions.force();
      close();
    } catch (IOException e) {
      throw new StorageException("%s can't be finished: %s".formatted(log.path(), e), e);
    }
  }

  private ByteBuffer encoded() {
    return TransactionIndex.encode(aborted);
  }

  /**
   * Gives the finished files the suffix that makes a restart put them in place, the log file last,
   * durably.
   *
   * @return the segment, which readers may use at once
   * @throws StorageException where a file can't be renamed
   */
  public Segment offer() throws StorageException {
    try {
      for (int i = Segment.FILES.size() - 1; i >= 0; i--) {
        SegmentFileKind kind = Segment.FILES.get(i);
        files.rename(
            cleaned(folder, kind, baseOffset), SegmentSettling.swapOf(kind.in(folder, baseOffset)));
      }
      files.forceDirectory(folder);
    } catch (IOException e) {
      throw new StorageException("%s can't be renamed: %s".formatted(log.path(), e), e);
    }
    Segment segment = new Segment(environment, folder, baseOffset, sizeBytes, indexIntervalBytes);
    segment.markUnsettled();
    segment.transactions().onWritten(!aborted.isEmpty());
    segment.largestTimestamp(entries.largest());
    return segment;
  }

  /**
   * Takes an offer back, durably, so that a restart drops this segment and all output behind it.
   * Does nothing where the segment was not offered.
   *
   * @throws StorageException where the file can't be renamed
   */
  public void withdraw() throws StorageException {
    Path offer = SegmentSettling.swapOf(SegmentFileKind.LOG.in(folder, baseOffset));
    try {
      if (files.exists(offer)) {
        files.rename(offer, cleaned(folder, SegmentFileKind.LOG, baseOffset));
        files.forceDirectory(folder);
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be renamed: %s".formatted(offer, e), e);
    }
  }

  /**
   * Removes the files under both suffixes, after compaction was given up; the log file last.
   *
   * @throws StorageException where a file can't be removed
   */
  public void discard() throws StorageException {
    close();
    try {
      for (int i = Segment.FILES.size() - 1; i >= 0; i--) {
        SegmentFileKind kind = Segment.FILES.get(i);
        files.deleteIfExists(SegmentSettling.swapOf(kind.in(folder, baseOffset)));
        files.deleteIfExists(cleaned(folder, kind, baseOffset));
      }
    } catch (IOException e) {
      throw new StorageException("%s can't be removed: %s".formatted(log.path(), e), e);
    }
  }

  @Override
  public void close() throws StorageException {
    if (closed) {
      return;
    }
    closed = true;
    try (log) {
      indexes.close();
    } catch (IOException e) {
      throw new StorageException("%s can't be closed: %s".formatted(log.path(), e), e);
    }
  }
}
