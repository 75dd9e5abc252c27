package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last step of compaction for one segment: its files lose the suffix of finished output.
 *
 * <p>The segment that had the names before is out of the way and durably so; nothing is replaced.
 * The transaction index goes first, and the log file right behind it: a restart that finds the log
 * file under its old name and no transaction index beside it knows that the one with the segment's
 * own name is the new one. That works because output of compaction always has one, if only an empty
 * one. Indexes by offset and time go last, for they can be made anew.
 */
final class SegmentSettling {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentSettling.class);

  private SegmentSettling() {}

  static Path swapOf(Path file) {
    return file.resolveSibling(file.getFileName() + SegmentFileKind.SWAP_SUFFIX);
  }

  /** Renames the files. The caller holds the segment's lock. */
  static void settle(Segment segment, LogFileSystem files) throws StorageException {
    segment.markSettled();
    Path log = segment.file(SegmentFileKind.LOG);
    Path transactions = segment.file(SegmentFileKind.TRANSACTION_INDEX);
    boolean moved = false;
    try {
      files.rename(swapOf(transactions), transactions);
      moved = true;
      files.rename(swapOf(log), log);
    } catch (IOException e) {
      StorageException failure =
          new StorageException(
              "%s stays under that name until the next start: %s".formatted(swapOf(log), e), e);
      if (moved) {
        putBack(files, transactions, failure);
      }
      segment.markUnsettled();
      throw failure;
    }
    for (SegmentFileKind kind :
        new SegmentFileKind[] {SegmentFileKind.OFFSET_INDEX, SegmentFileKind.TIME_INDEX}) {
      Path index = segment.file(kind);
      try {
        files.rename(swapOf(index), index);
      } catch (IOException e) {
        LOG.warn("{} can't be renamed; the index is made anew", swapOf(index), e);
      }
    }
  }

  private static void putBack(LogFileSystem files, Path transactions, StorageException failure) {
    try {
      files.rename(transactions, swapOf(transactions));
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
