package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentCut;
import java.util.List;

/**
 * Cuts the end of a log off, on behalf of a follower whose leader has other records there. Confined
 * to the log's writer.
 *
 * <p>The end is moved back first, so that no new reader goes there; then files are shortened or
 * removed. A reader that was on its way sees that the log was cut, and looks again.
 */
final class LogCutter {

  private final LogState state;
  private final Snapshots snapshots;
  private final SegmentRemoval removal;

  LogCutter(LogState state, Snapshots snapshots, SegmentRemoval removal) {
    this.state = state;
    this.snapshots = snapshots;
    this.removal = removal;
  }

  void truncateTo(long offset) throws StorageException {
    if (offset >= state.endAcquire().offset()) {
      return;
    }
    SegmentList before = state.segments();
    if (offset <= before.first().baseOffset()) {
      startAnewAt(offset, before);
    } else {
      cutIn(before, before.floorIndex(offset), offset);
    }
    long end = state.endAcquire().offset();
    state.epochs().truncateFromEnd(end);
    rebuildProducers(end);
  }

  private void cutIn(SegmentList before, int index, long offset) throws StorageException {
    Segment last = before.get(index);
    BatchWalkers walkers = state.identity().environment().walkers();
    BatchWalker walker = walkers.take();
    OpenSegment holder = last.retain();
    int position;
    long end;
    try {
      boolean found = last.seek(holder, walker, offset, last.sizeBytes());
      position = walker.position();
      // A batch that holds the offset goes as a whole.
      end = found ? Math.min(offset, walker.batch().baseOffset()) : offset;
    } finally {
      holder.release();
      walkers.giveBack(walker);
    }
    state.cut(before.upTo(index + 1), new LogPoint(end, last, position));
    last.active(true);
    SegmentCut.at(last, position, end);
    removeFrom(before, index + 1);
  }

  private void startAnewAt(long offset, SegmentList before) throws StorageException {
    removeFrom(before, 0);
    Segment fresh =
        Segment.create(
            state.identity().environment(),
            state.identity().folder(),
            offset,
            state.config().indexIntervalBytes());
    state.cut(SegmentList.of(List.of(fresh)), new LogPoint(offset, fresh, 0));
  }

  private void removeFrom(SegmentList before, int index) throws StorageException {
    for (int i = index; i < before.size(); i++) {
      before.get(i).active(false);
      removal.removeFiles(before.get(i));
    }
  }

  private void rebuildProducers(long end) throws StorageException {
    snapshots.removeAbove(end);
    SegmentList segments = state.segments();
    long from = snapshots.restore(state.producers(), end, segments.first().baseOffset());
    new ProducerReplay(state.producers(), state.identity().environment().walkers())
        .replay(segments, from, end);
    state.publishHighWatermarkRelease(state.highWatermarkAcquire().offset());
  }
}
