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

  private final LogFileSystem files;
  private final Path folder;
  private boolean failing;

  DerivedFiles(LogFileSystem files, Path folder) {
    this.files = files;
    this.folder = folder;
  }

  /**
   * Forces the offset index and the time index of a segment, where they exist.
   *
   * @return false where one could not be forced; the first time it is logged
   */
  boolean forceIndexes(Segment segment) {
    return force(segment.file(SegmentFileKind.OFFSET_INDEX))
        && force(segment.file(SegmentFileKind.TIME_INDEX));
  }

  /** Forces the transaction index of a segment, as {@link #forceIndexes}. */
  boolean forceTransactionIndex(Segment segment) {
    return force(segment.file(SegmentFileKind.TRANSACTION_INDEX));
  }

  /** Forces the snapshot of the producers at an offset, as {@link #forceIndexes}. */
  boolean forceSnapshot(long offset) {
    return force(SegmentFileKind.SNAPSHOT.in(folder, offset));
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

  /** Writes a segment checkpoint; whether its name is to be forced. */
  boolean write(SegmentCheckpoints checkpoints, SegmentCheckpoints.Asked checkpoint) {
    try {
      return checkpoints.write(checkpoint);
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

  private boolean force(Path path) {
    try (LogFile file = files.open(path, OpenMode.READ)) {
      file.force();
    } catch (NoSuchFileException e) {
      // It is made anew from the batches where it is missed, or the segment is gone.
      LOG.debug("{} does not exist and is not forced", path);
    } catch (IOException e) {
      warn(e);
      return false;
    }
    return true;
  }

  /** Notes that nothing was refused, so that the next refusal is logged again. */
  void allForced() {
    failing = false;
  }
}
