package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;

/**
 * Takes away what writes that failed half way have left in the files, before the log is written to
 * again. What readers see is not touched: it lies before. Confined to the log's writer.
 *
 * <p>Without it, bytes behind the end of a shorter write that comes next would be taken for batches
 * by the recovery after a crash, and the file of a segment that was never begun would hide the
 * records that go to the segment before.
 */
final class FailedWrites {

  private static final long NONE = -1;

  private final LogState state;
  private long unbegunSegment = NONE;

  FailedWrites(LogState state) {
    this.state = state;
  }

  /** Notes that a segment could not be begun; its file may be there or not. */
  void segmentNotBegun(long baseOffset) {
    unbegunSegment = baseOffset;
  }

  /**
   * Brings the files back to what the log is. Doing it twice does no harm.
   *
   * @throws StorageException where the disk refuses even that; where it refuses to force the cut,
   *     the log has failed
   */
  void takeAway() throws StorageException {
    LogFileSystem files = state.identity().environment().files();
    LogPoint end = state.endAcquire();
    Segment active = state.segments().last();
    OpenSegment holder = active.retain();
    try {
      if (holder.log().size() > active.sizeBytes()) {
        holder.log().truncate(active.sizeBytes());
        // Or a power cut could bring it back behind what is appended in its place.
        force(holder);
      }
      if (files.exists(active.file(SegmentFileKind.TRANSACTION_INDEX))) {
        active.transactions().onWritten(active.transactions().index().truncateTo(end.offset()));
      }
      if (unbegunSegment != NONE && unbegunSegment != active.baseOffset()) {
        for (SegmentFileKind kind : Segment.FILES) {
          files.deleteIfExists(kind.in(state.identity().folder(), unbegunSegment));
        }
      }
      unbegunSegment = NONE;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException(
          "what a failed write left in %s behind position %d can't be cut off: %s"
              .formatted(holder.log().path(), active.sizeBytes(), e),
          e);
    } finally {
      holder.release();
    }
  }

  /** This force covers batches that were not forced yet, too; none after it would. */
  private void force(OpenSegment holder) throws StorageException {
    try {
      holder.log().force();
    } catch (IOException e) {
      throw state.forceFailed(
          new StorageException(
              "%s can't be forced to the disk: %s".formatted(holder.log().path(), e), e));
    }
  }
}
