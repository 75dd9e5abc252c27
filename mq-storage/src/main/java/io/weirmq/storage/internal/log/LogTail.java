package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentRepair;
import org.jspecify.annotations.Nullable;

/**
 * Where a log is written: its active segment, and how that gives way to the next one. Confined to
 * the log's writer.
 */
final class LogTail {

  private final LogState state;
  private final Snapshots snapshots;
  private final LogFlusher flusher;
  private final SegmentRemoval removal;
  private final FailedWrites failedWrites;

  /** Null until it is needed: a log that nobody writes to has nothing open. */
  private @Nullable ActiveSegment active;

  LogTail(
      LogState state,
      Snapshots snapshots,
      LogFlusher flusher,
      SegmentRemoval removal,
      FailedWrites failedWrites) {
    this.state = state;
    this.snapshots = snapshots;
    this.flusher = flusher;
    this.removal = removal;
    this.failedWrites = failedWrites;
  }

  /**
   * The active segment.
   *
   * @throws StorageException where what the writer has to know of it can't be read
   */
  ActiveSegment active(long nowMs) throws StorageException {
    ActiveSegment current = active;
    if (current == null) {
      current = ActiveSegment.resume(state.segments().last(), nowMs);
      active = current;
    }
    return current;
  }

  /** Whether the active segment was written to, or prepared for it, since the log was opened. */
  boolean isInUse() {
    return active != null;
  }

  /** Forgets what is known of the active segment, after it was cut or its indexes made anew. */
  void forget() {
    active = null;
  }

  /**
   * Whether a batch begins a new segment.
   *
   * @param staged what will be in the active one before it
   * @throws StorageException where an index can't be opened
   */
  boolean isRollDue(RollPolicy.Candidate batch, StagedBatches staged) throws StorageException {
    ActiveSegment current = active(batch.nowMs());
    return RollPolicy.isDue(state.config(), current, batch, staged.sizeBytes())
        || isIndexFull(current.segment(), staged);
  }

  private boolean isIndexFull(Segment segment, StagedBatches staged) throws StorageException {
    if ((long) segment.sizeBytes() + staged.sizeBytes() == 0) {
      return false;
    }
    OpenSegment holder = segment.retain();
    try {
      // What is staged may bring one entry per batch; being early by those is harmless.
      return RollPolicy.isIndexFull(state.config(), holder.indexes(), staged.count());
    } finally {
      holder.release();
    }
  }

  /**
   * Begins a segment; an active one that is empty gives its place up.
   *
   * <p>Nothing is forced here: the old segment, its indexes and the snapshot are whole in their
   * files, and the next flush forces them before the recovery point passes.
   *
   * @param baseOffset at or above the log end: above it where a leader's log has a gap there
   * @throws StorageException where the disk refuses; the log is as before
   */
  void rollTo(long baseOffset, long nowMs) throws StorageException {
    ActiveSegment current = active(nowMs);
    Segment old = current.segment();
    if (old.baseOffset() == baseOffset) {
      return;
    }
    current.finish();
    snapshots.writeUnforced(state.producers(), baseOffset);
    Segment fresh = begin(baseOffset);
    old.deactivate();
    flusher.namesChanged();
    boolean useless = old.sizeBytes() == 0;
    SegmentList before = state.segments();
    state.segments(useless ? before.replaceLast(fresh) : before.plus(fresh));
    active = ActiveSegment.empty(fresh, nowMs);
    state.publishEndRelease(new LogPoint(state.endAcquire().offset(), fresh, 0));
    if (useless) {
      removal.removeFiles(old);
    } else if (old.transactions().exists()) {
      state.transactionRecords().remember(state.segments());
    }
    snapshots.removeStrays(state.segments());
  }

  private Segment begin(long baseOffset) throws StorageException {
    try {
      return Segment.create(
          state.identity().environment(),
          state.identity().folder(),
          baseOffset,
          state.config().indexIntervalBytes());
    } catch (StorageException e) {
      failedWrites.segmentNotBegun(baseOffset);
      throw e;
    }
  }

  /**
   * Makes indexes anew that readers found to be stale.
   *
   * @throws StorageException where the batches can't be read or the files not written
   */
  void repairIndexes() throws StorageException {
    for (Segment segment : state.segments().asList()) {
      if (segment.indexesStale()) {
        SegmentRepair.repair(segment);
        if (segment.isActive()) {
          forget();
        }
      }
    }
  }

  /**
   * Puts the indexes of the active segment whole into their files, where they may lack something.
   *
   * @param changed whether something was written that they may lack
   * @throws StorageException where they can't be written
   */
  void finish(boolean changed, long nowMs) throws StorageException {
    Segment last = state.segments().last();
    if (changed || (last.indexesStale() && last.sizeBytes() > 0)) {
      repairIndexes();
      active(nowMs).finish();
    }
  }

  /**
   * Puts the indexes of the active segment whole into their files, and writes a snapshot at the log
   * end, for a log that is to rest. Nothing is forced.
   *
   * @return false where the indexes have to be made anew before
   * @throws StorageException where a file can't be read or written
   */
  boolean finishWithSnapshot(long nowMs) throws StorageException {
    Segment last = state.segments().last();
    if (last.sizeBytes() == 0) {
      return true; // the roll has done it
    }
    repairIndexes();
    active(nowMs).finish();
    if (last.indexesStale()) {
      return false;
    }
    state.transactionRecords().remember(state.segments());
    long end = state.endAcquire().offset();
    if (!snapshots.has(end)) {
      snapshots.writeUnforced(state.producers(), end);
      flusher.namesChanged();
      snapshots.removeStrays(state.segments());
    }
    return true;
  }
}
