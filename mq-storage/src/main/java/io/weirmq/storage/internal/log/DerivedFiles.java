package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces what a segment's batches bring about: both indexes, the transaction index, and the
 * snapshot of the producers at the segment's end. Confined to one flush at a time.
 *
 * <p>They are forced by their names, not by what the writer has open: the pages of an index belong
 * to the writer, and everything was written to the files when the segment was sealed.
 */
final class DerivedFiles {

  private static final Logger LOG = LoggerFactory.getLogger(DerivedFiles.class);

  private static final List<SegmentFileKind> OF_SEGMENT =
      List.of(
          SegmentFileKind.OFFSET_INDEX,
          SegmentFileKind.TIME_INDEX,
          SegmentFileKind.TRANSACTION_INDEX);

  private final LogFileSystem files;
  private final Path folder;
  private boolean failing;

  DerivedFiles(LogFileSystem files, Path folder) {
    this.files = files;
    this.folder = folder;
  }

  /**
   * Forces those indexes of a segment that exist.
   *
   * @return false where one could not be forced; the first time it is logged
   */
  boolean forceIndexes(Segment segment) {
    try {
      for (SegmentFileKind kind : OF_SEGMENT) {
        force(segment.file(kind));
      }
      failing = false;
      return true;
    } catch (IOException e) {
      warn(e);
      return false;
    }
  }

  /**
   * Forces the snapshot of the producers at an offset, where there is one.
   *
   * @return as {@link #forceIndexes}
   */
  boolean forceSnapshot(long offset) {
    try {
      force(SegmentFileKind.SNAPSHOT.in(folder, offset));
      return true;
    } catch (IOException e) {
      warn(e);
      return false;
    }
  }

  /** Saves the epochs, see {@link LeaderEpochs#save}; false as for {@link #forceIndexes}. */
  boolean save(LeaderEpochs epochs) {
    try {
      epochs.save();
      return true;
    } catch (StorageException e) {
      warn(e);
      return false;
    }
  }

  private void warn(IOException cause) {
    if (!failing) {
      failing = true;
      LOG.warn(
          "batches in {} are on the disk, what is derived from them is not; until it is, a restart"
              + " reads them again: {}",
          folder,
          cause.toString());
    }
  }

  private void force(Path path) throws IOException {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      file.force();
    } catch (NoSuchFileException e) {
      // It is made anew from the batches where it is missed, or the segment is gone.
      LOG.debug("{} does not exist and is not forced", path);
    }
  }
}
