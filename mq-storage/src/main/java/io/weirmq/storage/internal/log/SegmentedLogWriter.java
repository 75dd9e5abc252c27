package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.producer.CompletedTransaction;
import io.weirmq.storage.internal.producer.SequenceCheck;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes a log. Confined to one thread, see {@link AppendTarget}.
 *
 * <p>A commit is one gathering write at the known end of the active segment. The order is: batches,
 * entries of the transaction index, index entries, size of the segment, producers, log end. Where
 * one of the first two fails the files are cut back, the producers forget what was staged, and the
 * log is as before. It is read-only then until a later write succeeds, see {@link LogHealth}; where
 * cutting back failed too, that write begins with it, see {@link FailedWrites}.
 *
 * <p>A roll in the middle of staging commits what was staged before. If a later write of the same
 * commit fails, that part is in the log although {@link #commit} throws; {@link
 * PartitionLog#logEndOffset()} tells which batches are.
 */
final class SegmentedLogWriter implements AppendTarget {

  private final SegmentedLog log;
  private final LogState state;
  private final Snapshots snapshots;
  private final InstantSource clock;
  private final LogFlusher flusher;
  private final SegmentRemoval removal;
  private final LogCutter cutter;
  private final FailedWrites failedWrites;

  private final StagedBatches staged = new StagedBatches();
  private final List<AbortedTransaction> stagedAborts = new ArrayList<>();
  private final RecordBatch view = new RecordBatch();

  private @Nullable ActiveSegment active;
  private long nextOffset;
  private @Nullable StorageException failedCommit;

  SegmentedLogWriter(SegmentedLog log, LogState state, Snapshots snapshots, InstantSource clock) {
    this.log = log;
    this.state = state;
    this.snapshots = snapshots;
    this.clock = clock;
    this.flusher = new LogFlusher(state, clock);
    this.removal = new SegmentRemoval(state, snapshots);
    this.cutter = new LogCutter(state, snapshots, removal);
    this.failedWrites = new FailedWrites(state);
    this.nextOffset = state.endAcquire().offset();
  }

  @Override
  public PartitionLog log() {
    return log;
  }

  @Override
  public AppendResult stage(
      ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs) {
    try {
      admit(nowMs);
    } catch (StorageException e) {
      return new AppendResult.Failed(e);
    }
    try {
      return origin == AppendOrigin.REPLICATION
          ? stageReplicated(batch.buffer(), nowMs)
          : stageAssigned(batch, origin, leaderEpoch, nowMs);
    } catch (StorageException e) {
      state.health().writeFailed(e, nowMs);
      return new AppendResult.Failed(e);
    }
  }

  /** Lets a write pass, or refuses it without touching the disk. */
  private void admit(long nowMs) throws StorageException {
    StorageException failed = failedCommit;
    if (failed != null) {
      throw new StorageException(
          "%s takes no writes: %s".formatted(state.identity().partition(), failed.getMessage()),
          failed);
    }
    // What joins others shares their fate.
    if (staged.isEmpty() && !state.health().ensureWritable(nowMs)) {
      takeFailedWritesAway(nowMs);
    }
  }

  private void takeFailedWritesAway(long nowMs) throws StorageException {
    try {
      failedWrites.takeAway();
    } catch (StorageException e) {
      state.health().writeFailed(e, nowMs);
      throw e;
    }
  }

  private AppendResult stageAssigned(
      ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs)
      throws StorageException {
    ByteBuffer buffer = batch.buffer();
    view.wrap(buffer, buffer.position());
    SequenceCheck check = state.producers().check(view, origin);
    if (check instanceof SequenceCheck.Repeated repeated) {
      return new AppendResult.Duplicate(
          repeated.baseOffset(),
          repeated.lastOffset(),
          state.config().logAppendTime() ? repeated.timestampMs() : RecordBatch.NO_TIMESTAMP,
          state.logStartOffset());
    }
    if (check instanceof SequenceCheck.Refused refused) {
      return new AppendResult.Rejected(refused.reason(), refused.message(), List.of());
    }
    Optional<AppendResult> tooLarge = refuseAboveSegmentSize(buffer.remaining());
    if (tooLarge.isPresent()) {
      return tooLarge.get();
    }
    boolean appendTime = state.config().logAppendTime();
    long maxTimestampMs = appendTime ? nowMs : batch.maxTimestampMs();
    long lastOffset = nextOffset + view.lastOffsetDelta();
    makeRoom(
        new RollPolicy.Candidate(
            buffer.remaining(), nextOffset, lastOffset, maxTimestampMs, nowMs));
    view.wrap(buffer, buffer.position());
    stamp(appendTime, maxTimestampMs, leaderEpoch);
    long baseOffset = nextOffset;
    add(buffer, leaderEpoch);
    return new AppendResult.Appended(
        baseOffset,
        lastOffset,
        appendTime ? nowMs : RecordBatch.NO_TIMESTAMP,
        state.logStartOffset());
  }

  private Optional<AppendResult> refuseAboveSegmentSize(int sizeBytes) {
    int max = state.config().segmentBytes();
    return sizeBytes <= max
        ? Optional.empty()
        : Optional.of(
            new AppendResult.Rejected(
                AppendResult.RejectReason.RECORD_LIST_TOO_LARGE,
                "%s: batch has %d bytes; segment.bytes is %d"
                    .formatted(state.identity().partition(), sizeBytes, max),
                List.of()));
  }

  private void stamp(boolean appendTime, long maxTimestampMs, int leaderEpoch) {
    view.baseOffset(nextOffset);
    view.partitionLeaderEpoch(leaderEpoch);
    if (appendTime || view.maxTimestamp() != maxTimestampMs) {
      view.maxTimestamp(appendTime, maxTimestampMs);
    }
  }

  private AppendResult stageReplicated(ByteBuffer batches, long nowMs) throws StorageException {
    Optional<AppendResult> refusal = refuseOffsets(batches);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    long baseOffset = view.wrap(batches, batches.position()).baseOffset();
    int start = batches.position();
    while (start < batches.limit()) {
      view.wrap(batches, start);
      int size = view.sizeInBytes();
      makeRoom(
          new RollPolicy.Candidate(
              size, view.baseOffset(), view.lastOffset(), view.maxTimestamp(), nowMs));
      // A view of its own: one buffer may hold many batches, and a roll may fall between them.
      add(batches.duplicate().limit(start + size).position(start), view.partitionLeaderEpoch());
      start += size;
    }
    return new AppendResult.Appended(
        baseOffset, nextOffset - 1, RecordBatch.NO_TIMESTAMP, state.logStartOffset());
  }

  /** Checks all batches before one of them is staged. */
  private Optional<AppendResult> refuseOffsets(ByteBuffer batches) throws StorageException {
    BatchCursor cursor = new BatchCursor(batches);
    long expected = nextOffset;
    while (cursor.next()) {
      RecordBatch batch = cursor.batch();
      if (batch.baseOffset() < expected || batch.lastOffsetDelta() < 0) {
        return Optional.of(
            new AppendResult.Rejected(
                AppendResult.RejectReason.INVALID_RECORD,
                "%s: replicated batch has offsets %d..%d; expected them at or above %d"
                    .formatted(
                        state.identity().partition(),
                        batch.baseOffset(),
                        batch.lastOffset(),
                        expected),
                List.of()));
      }
      expected = batch.nextOffset();
    }
    return cursor.remainingBytes() == 0 && batches.hasRemaining()
        ? Optional.empty()
        : Optional.of(
            new AppendResult.Rejected(
                AppendResult.RejectReason.CORRUPT_MESSAGE,
                "%s: replicated bytes end in the middle of a batch, %d bytes of which are there"
                    .formatted(state.identity().partition(), cursor.remainingBytes()),
                List.of()));
  }

  /** Stages the batch under the view, whose offsets are set. */
  private void add(ByteBuffer buffer, int leaderEpoch) throws StorageException {
    if (leaderEpoch > state.epochs().latestEpoch()) {
      state.epochs().note(leaderEpoch, view.baseOffset());
    }
    Optional<CompletedTransaction> completed = state.producers().stage(view);
    if (completed.isPresent() && completed.get().aborted()) {
      stagedAborts.add(abortedTransaction(completed.get()));
    }
    staged.add(buffer, view.lastOffset(), view.maxRecordTimestamp());
    nextOffset = view.lastOffset() + 1;
  }

  private AbortedTransaction abortedTransaction(CompletedTransaction completed) {
    long stable = state.producers().lastStableOffsetBehind(completed);
    return new AbortedTransaction(
        completed.producerId(),
        completed.firstOffset(),
        completed.lastOffset(),
        Math.min(stable, completed.lastOffset() + 1));
  }

  private void makeRoom(RollPolicy.Candidate batch) throws StorageException {
    ActiveSegment current = activeSegment(batch.nowMs());
    if (RollPolicy.isDue(state.config(), current, batch, staged.sizeBytes())
        || isIndexFull(current.segment())) {
      try {
        commitStaged();
      } catch (StorageException e) {
        failedCommit = e;
        throw e;
      }
      rollTo(baseOffsetFor(batch), batch.nowMs());
    }
  }

  /**
   * The log end, so that segments follow each other also where a leader's log has a gap; but for a
   * gap that is too wide for a segment.
   */
  private long baseOffsetFor(RollPolicy.Candidate batch) {
    return Math.max(nextOffset, batch.lastOffset() - Integer.MAX_VALUE);
  }

  private boolean isIndexFull(Segment segment) throws StorageException {
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

  private ActiveSegment activeSegment(long nowMs) throws StorageException {
    ActiveSegment current = active;
    if (current == null) {
      current = ActiveSegment.resume(state.segments().last(), nowMs);
      active = current;
    }
    return current;
  }

  @Override
  public void commit() throws StorageException {
    StorageException failed = failedCommit;
    if (failed != null) {
      failedCommit = null;
      discardStaged();
      throw failed;
    }
    commitStaged();
  }

  private void commitStaged() throws StorageException {
    if (staged.isEmpty()) {
      return;
    }
    ActiveSegment current = activeSegment(clock.millis());
    Segment segment = current.segment();
    OpenSegment holder;
    try {
      holder = segment.retain();
    } catch (StorageException e) {
      discardStaged();
      throw e;
    }
    try {
      int position = segment.sizeBytes();
      write(holder, segment, position);
      current.onWritten(holder, staged, position, state.config().indexIntervalBytes());
      state.producers().commit();
      state.publishEndRelease(new LogPoint(nextOffset, segment, segment.sizeBytes()));
      state.health().writeSucceeded(clock);
    } finally {
      holder.release();
      // After a success there is nothing left to discard in the producers.
      discardStaged();
    }
  }

  private void write(OpenSegment holder, Segment segment, int position) throws StorageException {
    try {
      // Opened before a byte is written: where that fails nothing has to be taken back.
      holder.indexes();
      staged.writeTo(holder.log(), position);
      if (!stagedAborts.isEmpty()) {
        segment.transactionIndex().append(stagedAborts);
        segment.hasTransactionIndex(true);
      }
    } catch (IOException e) {
      StorageException failure =
          new StorageException(
              "%d bytes could not be written to %s at position %d: %s"
                  .formatted(staged.sizeBytes(), holder.log().path(), position, e),
              e);
      cutBack(holder, position, failure);
      throw failure;
    }
  }

  /** Where this fails too, it is tried again before the next write; no reader goes there. */
  private void cutBack(OpenSegment holder, int position, StorageException failure) {
    try {
      holder.log().truncate(position);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    state.health().writeFailed(failure, clock.millis());
  }

  private void discardStaged() {
    staged.clear();
    stagedAborts.clear();
    state.producers().discard();
    nextOffset = state.endAcquire().offset();
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
      admit(nowMs);
      tryRollTo(nextOffset, nowMs);
      removed += removal.applyRetention(nowMs);
    }
    repairIndexes();
    return removed;
  }

  /** Makes indexes anew that readers found to lie. */
  private void repairIndexes() throws StorageException {
    for (Segment segment : state.segments().asList()) {
      if (segment.indexesLie()) {
        segment.repairIndexes();
        if (segment.isActive()) {
          active = null;
        }
      }
    }
  }

  @Override
  public void expireProducers(long nowMs) {
    state.producers().expire(nowMs, state.config().producerIdExpirationMs());
  }

  @Override
  public void truncateTo(long offset) throws StorageException {
    commitStaged();
    if (offset < state.cleanedOffset()) {
      // First: what is appended there later must not be taken for compacted after a crash.
      state.identity().owner().recordCleaned(state.identity().partition(), offset);
    }
    cutter.truncateTo(offset);
    active = null;
    nextOffset = state.endAcquire().offset();
  }

  @Override
  public void roll() throws StorageException {
    commitStaged();
    long nowMs = clock.millis();
    admit(nowMs);
    if (state.segments().last().sizeBytes() > 0) {
      tryRollTo(nextOffset, nowMs);
    }
  }

  private void tryRollTo(long baseOffset, long nowMs) throws StorageException {
    try {
      rollTo(baseOffset, nowMs);
    } catch (StorageException e) {
      state.health().writeFailed(e, nowMs);
      throw e;
    }
  }

  /**
   * Begins a segment; an active one that is empty gives its place up.
   *
   * <p>Nothing is forced here: the old segment, its indexes and the snapshot are whole in their
   * files, and the next flush forces them before the recovery point passes.
   *
   * @param baseOffset at or above the log end: above it where a leader's log has a gap there
   */
  private void rollTo(long baseOffset, long nowMs) throws StorageException {
    ActiveSegment current = activeSegment(nowMs);
    Segment old = current.segment();
    if (old.baseOffset() == baseOffset) {
      return;
    }
    current.finish();
    snapshots.writeUnforced(state.producers(), baseOffset);
    Segment fresh = begin(baseOffset);
    old.active(false);
    flusher.namesChanged();
    boolean useless = old.sizeBytes() == 0;
    SegmentList before = state.segments();
    state.segments(useless ? before.replaceLast(fresh) : before.plus(fresh));
    active = ActiveSegment.empty(fresh, nowMs);
    state.publishEndRelease(new LogPoint(nextOffset, fresh, 0));
    if (useless) {
      removal.removeFiles(old);
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

  @Override
  public void flush() throws StorageException {
    commitStaged();
    flusher.flushAll(false);
  }

  @Override
  public void flushIfDue(long nowMs) {
    flusher.lookAtTime(nowMs);
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
      commitStaged();
      ensureWholeFiles();
      finishActive();
      state.epochs().writeOwed();
      long end = state.endAcquire().offset();
      flusher.flushAll(active != null || !snapshots.has(end));
      // Last: with the recovery point it is the record that what is derived is on the disk too.
      if (!snapshots.has(end) && hasMoreThanSegments()) {
        snapshots.writeAtStop(state.producers(), end);
        snapshots.removeStrays(state.segments());
      }
    } finally {
      closeFiles();
    }
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

  private void finishActive() throws StorageException {
    Segment last = state.segments().last();
    if (active != null || (last.indexesLie() && last.sizeBytes() > 0)) {
      repairIndexes();
      activeSegment(clock.millis()).finish();
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
