package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentCut;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.internal.segment.SegmentReading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Cuts the end of a log off, on behalf of a follower whose leader has other records there. Confined
 * to the log's writer.
 *
 * <p>The end is moved back first, so that no new reader goes there; then files are shortened or
 * removed. A reader that was on its way sees that the log was cut, and looks again.
 *
 * <p>A cut is durable when it returns. Otherwise a power cut could bring back what was cut off
 * behind the records that were appended in its place. The order on the disk is: recovery point,
 * segment checkpoint, later segments from the last one on, the segment that the log ends in; so
 * what a power cut in between leaves is the log as it was, up to some point at or behind the new
 * end.
 */
final class LogCutter {

  private final LogState state;
  private final Snapshots snapshots;
  private final SegmentCheckpoints checkpoints;
  private final SegmentRemoval removal;

  LogCutter(
      LogState state, Snapshots snapshots, SegmentCheckpoints checkpoints, SegmentRemoval removal) {
    this.state = state;
    this.snapshots = snapshots;
    this.checkpoints = checkpoints;
    this.removal = removal;
  }

  void truncateTo(long offset) throws StorageException {
    if (offset >= state.endAcquire().offset()) {
      return;
    }
    SegmentList before = state.segments();
    try {
      if (offset <= before.first().baseOffset()) {
        startAnewAt(offset, before);
      } else {
        cutIn(before, before.floorIndex(offset), offset);
      }
      long end = state.endAcquire().offset();
      state.epochs().truncateFromEnd(end);
      rebuildProducers(end);
    } catch (StorageException e) {
      // What is in memory and what is in the files may differ now; a restart finds the files.
      throw state.forceFailed(e);
    }
  }

  private void cutIn(SegmentList before, int index, long offset) throws StorageException {
    Segment last = before.get(index);
    // While all batches and snapshots are there that it may have to be made anew from.
    state.transactionRepair().ensureSound(before, index);
    int position;
    long end;
    try (SegmentReading reading = SegmentReading.of(last)) {
      BatchWalker walker = reading.walker();
      boolean found = SegmentLookup.seek(reading.holder(), walker, offset, last.sizeBytes());
      position = walker.position();
      // A batch that holds the offset goes as a whole.
      end = found ? Math.min(offset, walker.batch().baseOffset()) : offset;
    }
    boolean startLowered = end < state.logStartOffset();
    boolean lowered = state.cut(before.upTo(index + 1), new LogPoint(end, last, position));
    recordOffsets(lowered, startLowered, end);
    checkpoints.cut(end);
    removeFrom(before, index + 1);
    snapshots.removeAbove(end);
    forceNames();
    SegmentCut.at(last, position, end);
    last.activate();
  }

  /**
   * Makes durable what the cut has lowered, before other records may come in the place of those cut
   * off: a restart would not look below a recovery point, and drops a log that ends below its
   * start.
   */
  private void recordOffsets(boolean recoveryPointLowered, boolean startLowered, long end)
      throws StorageException {
    if (recoveryPointLowered) {
      state.identity().owner().recordRecoveryPoints();
    }
    if (startLowered) {
      state.identity().owner().recordLogStart(state.identity().partition(), end);
    }
  }

  private void forceNames() throws StorageException {
    Path folder = state.identity().folder();
    try {
      state.identity().environment().files().forceDirectory(folder);
    } catch (IOException e) {
      throw new StorageException(
          "names in %s can't be forced to the disk: %s".formatted(folder, e), e);
    }
  }

  private void startAnewAt(long offset, SegmentList before) throws StorageException {
    boolean startLowered = offset < state.logStartOffset();
    recordOffsets(state.progress().cut(offset), startLowered, offset);
    checkpoints.cut(offset);
    removeFrom(before, 0);
    Segment fresh =
        Segment.create(
            state.identity().environment(),
            state.identity().folder(),
            offset,
            state.config().indexIntervalBytes());
    // A flush that ran beside may have raised the recovery point again.
    boolean lowered = state.cut(SegmentList.of(List.of(fresh)), new LogPoint(offset, fresh, 0));
    recordOffsets(lowered, false, offset);
    snapshots.removeAbove(offset);
    forceNames();
  }

  /** From the end, so that a power cut in between leaves a log without a gap. */
  private void removeFrom(SegmentList before, int index) throws StorageException {
    for (int i = before.size() - 1; i >= index; i--) {
      before.get(i).deactivate();
      removal.removeFiles(before.get(i));
    }
  }

  private void rebuildProducers(long end) throws StorageException {
    snapshots.removeAbove(end);
    SegmentList segments = state.segments();
    long from = snapshots.restore(state.producers(), end, segments.first().baseOffset());
    new ProducerReplay(state.producers()).replay(segments, from, end);
    state.publishHighWatermarkRelease(state.highWatermarkAcquire().offset());
  }
}
