package io.weirmq.storage.internal.log;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.segment.Segment;
import java.time.InstantSource;

/**
 * Writes a log. Confined to one thread, see {@link AppendTarget}.
 *
 * <p>The parts, each confined to the same thread: {@link LogAppends} stages and commits batches,
 * {@link LogTail} is the segment they go to, {@link SegmentRemoval} and {@link LogCutter} take away
 * at both ends, {@link LogFlusher} puts it on the disk beside the writer.
 */
final class SegmentedLogWriter implements AppendTarget {

  private final SegmentedLog log;
  private final LogState state;
  private final Snapshots snapshots;
  private final InstantSource clock;
  private final LogRest rest;
  private final LogFlusher flusher;
  private final SegmentRemoval removal;
  private final LogCutter cutter;
  private final FailedWrites failedWrites;
  private final LogTail tail;
  private final LogAppends appends;

  SegmentedLogWriter(SegmentedLog log, LogState state, Snapshots snapshots, InstantSource clock) {
    this.log = log;
    this.state = state;
    this.snapshots = snapshots;
    this.clock = clock;
    this.rest = new LogRest(state, snapshots, clock.millis());
    SegmentCheckpoints checkpoints = new SegmentCheckpoints(state);
    this.flusher = new LogFlusher(state, rest, checkpoints, clock);
    this.removal = new SegmentRemoval(state, snapshots);
    this.cutter = new LogCutter(state, snapshots, checkpoints, removal);
    this.failedWrites = new FailedWrites(state);
    this.tail = new LogTail(state, snapshots, flusher, removal, failedWrites);
    this.appends = new LogAppends(state, tail, failedWrites, rest, checkpoints, clock);
  }

  @Override
  public PartitionLog log() {
    return log;
  }

  @Override
  public AppendResult stage(
      ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs) {
    return appends.stage(batch, origin, leaderEpoch, nowMs);
  }

  @Override
  public void commit() throws StorageException {
    appends.commit();
  }

  @Override
  public void advanceHighWatermark(long offset) {
    long end = state.endAcquire().offset();
    long next = Math.min(offset, end);
    if (next > state.highWatermarkAcquire().offset()) {
      state.publishHighWatermarkRelease(next);
    }
  }

  @Override
  public void beginEpoch(int leaderEpoch) throws StorageException {
    if (leaderEpoch > state.epochs().latestEpoch()) {
      state.epochs().assign(leaderEpoch, state.endAcquire().offset());
    }
  }

  @Override
  public long deleteRecordsBefore(long offset) throws StorageException {
    long highWatermark = state.highWatermarkAcquire().offset();
    if (offset > highWatermark) {
      throw new OffsetOutOfRangeException(
          state.identity().partition(), offset, state.logStartOffset(), highWatermark);
    }
    return removal.deleteRecordsBefore(offset);
  }

  @Override
  public int applyRetention(long nowMs) throws StorageException {
    flusher.retrySealed();
    // First what frees space: all else may need some.
    int removed = removal.applyRetention(nowMs);
    if (removal.isActiveExpired(nowMs)) {
      appends.admit(nowMs);
      rollTo(state.endAcquire().offset(), nowMs);
      removed += removal.applyRetention(nowMs);
    }
    tail.repairIndexes();
    return removed;
  }

  @Override
  public void expireProducers(long nowMs) {
    state.producers().expire(nowMs, state.config().producerIdExpirationMs());
  }

  @Override
  public void truncateTo(long offset) throws StorageException {
    appends.commitStaged();
    if (offset < state.cleanedOffset()) {
      // First: what is appended there later must not be taken for compacted after a crash.
      state.identity().owner().recordCleaned(state.identity().partition(), offset);
    }
    cutter.truncateTo(offset);
    tail.forget();
    appends.resume();
  }

  @Override
  public void roll() throws StorageException {
    appends.commitStaged();
    long nowMs = clock.millis();
    appends.admit(nowMs);
    if (state.segments().last().sizeBytes() > 0) {
      rollTo(state.endAcquire().offset(), nowMs);
    }
  }

  private void rollTo(long baseOffset, long nowMs) throws StorageException {
    try {
      tail.rollTo(baseOffset, nowMs);
    } catch (StorageException e) {
      state.health().writeFailed(e, nowMs);
      throw e;
    }
  }

  @Override
  public void flush() throws StorageException {
    appends.commitStaged();
    flusher.flushAll(false);
  }

  @Override
  public void flushIfDue(long nowMs) {
    flusher.lookAtTime(nowMs);
  }

  /** See {@link PartitionLog#isRestDue}; any thread. */
  boolean isRestDue(long nowMs) {
    return rest.isDue(nowMs);
  }

  @Override
  public void rest(long nowMs) throws StorageException {
    appends.commitStaged();
    try {
      if (rest.isDue(nowMs) && tail.finishWithSnapshot(nowMs)) {
        rest.ask();
      }
    } catch (StorageException e) {
      state.health().writeFailed(e, nowMs);
      throw e;
    }
  }

  @Override
  public long settledOffset() {
    return flusher.settledOffset();
  }

  @Override
  public FlushTarget flushTarget() {
    return flusher;
  }

  @Override
  public void reconfigure(LogConfig config) {
    state.config(config);
  }

  /**
   * Makes all durable, with the producers, so that the next start reads names and sizes only; then
   * closes the files.
   *
   * @throws StorageException where something could not be made durable; the files are closed anyway
   */
  void close() throws StorageException {
    try {
      appends.commitStaged();
      ensureWholeFiles();
      boolean changed = mayLackEntries() && !rest.isAtRest();
      tail.finish(changed, clock.millis());
      state.epochs().writeOwed();
      state.transactionRecords().rememberDurably(state.segments());
      long end = state.endAcquire().offset();
      flusher.flushAll(changed || !snapshots.has(end));
      // Last: with the recovery point it is the record that what is derived is on the disk too.
      if (!snapshots.has(end) && hasMoreThanSegments()) {
        snapshots.writeAtStop(state.producers(), end);
        snapshots.removeStrays(state.segments());
      }
    } finally {
      closeFiles();
    }
  }

  /**
   * Whether the files of the active segment may lack what is derived from its last batches: it was
   * written to, or a cut took index entries away and put the recovery point below the end.
   */
  private boolean mayLackEntries() {
    return tail.isInUse() || state.progress().recoveryPoint() < state.endAcquire().offset();
  }

  /** Whether a snapshot tells anything: an empty log without producers needs none. */
  private boolean hasMoreThanSegments() {
    return state.segments().sizeBytes() > 0 || !state.producers().isEmpty();
  }

  private void ensureWholeFiles() throws StorageException {
    StorageException failure = state.failure();
    if (failure != null) {
      throw failure;
    }
    if (!state.health().isWritable()) {
      failedWrites.takeAway();
    }
  }

  /** Closes the files without making anything durable. */
  void closeFiles() throws StorageException {
    StorageException failure = null;
    for (Segment segment : state.segments().asList()) {
      try {
        segment.close();
      } catch (StorageException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
