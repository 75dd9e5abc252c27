package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.producer.CompletedTransaction;
import io.weirmq.storage.internal.producer.SequenceCheck;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stages batches for the end of a log and commits them with one write. Confined to the log's
 * writer.
 *
 * <p>A commit is one gathering write at the known end of the active segment. The order is: batches,
 * entries of the transaction index, index entries, size of the segment, producers, log end. Where
 * one of the first two fails the files are cut back, the producers forget what was staged, and the
 * log is as before. It is read-only then until a later write succeeds, see {@link LogHealth}; where
 * cutting back failed too, that write begins with it, see {@link FailedWrites}.
 *
 * <p>A roll in the middle of staging commits what was staged before. If a later write of the same
 * commit fails, that part is in the log although {@link #commit} throws; the log end tells which
 * batches are.
 */
final class LogAppends {

  private final LogState state;
  private final LogTail tail;
  private final FailedWrites failedWrites;
  private final LogRest rest;
  private final SegmentCheckpoints checkpoints;
  private final InstantSource clock;

  private final StagedBatches staged = new StagedBatches();
  private final List<AbortedTransaction> stagedAborts = new ArrayList<>();
  private final RecordBatch view = new RecordBatch();

  private long nextOffset;
  private @Nullable StorageException failedCommit;

  LogAppends(
      LogState state,
      LogTail tail,
      FailedWrites failedWrites,
      LogRest rest,
      SegmentCheckpoints checkpoints,
      InstantSource clock) {
    this.state = state;
    this.tail = tail;
    this.failedWrites = failedWrites;
    this.rest = rest;
    this.checkpoints = checkpoints;
    this.clock = clock;
    this.nextOffset = state.endAcquire().offset();
  }

  /** Goes on at the log end, after it was moved back. */
  void resume() {
    nextOffset = state.endAcquire().offset();
  }

  /** Stages a batch, see {@link io.weirmq.storage.internal.AppendTarget#stage}. */
  AppendResult stage(ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs) {
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

  /**
   * Lets a write pass, or refuses it without touching the disk.
   *
   * @throws StorageException where the log takes no writes now
   */
  void admit(long nowMs) throws StorageException {
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
    Optional<AppendResult> refusal =
        ReplicatedOffsets.refusal(state.identity().partition(), batches, nextOffset);
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
    if (tail.isRollDue(batch, staged)) {
      try {
        commitStaged();
      } catch (StorageException e) {
        failedCommit = e;
        throw e;
      }
      tail.rollTo(baseOffsetFor(batch), batch.nowMs());
    }
  }

  /**
   * The log end, so that segments follow each other also where a leader's log has a gap; but for a
   * gap that is too wide for a segment.
   */
  private long baseOffsetFor(RollPolicy.Candidate batch) {
    return Math.max(nextOffset, batch.lastOffset() - Integer.MAX_VALUE);
  }

  /** Commits what is staged, see {@link io.weirmq.storage.internal.AppendTarget#commit}. */
  void commit() throws StorageException {
    StorageException failed = failedCommit;
    if (failed != null) {
      failedCommit = null;
      discardStaged();
      throw failed;
    }
    commitStaged();
  }

  /**
   * Writes what is staged; where that fails the log is as before, and nothing is staged any more.
   *
   * @throws StorageException where the disk refuses
   */
  void commitStaged() throws StorageException {
    if (staged.isEmpty()) {
      return;
    }
    long nowMs = clock.millis();
    ActiveSegment current = tail.active(nowMs);
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
      rest.appended(nowMs);
      checkpoints.appended(current);
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
        segment.transactions().index().append(stagedAborts);
        segment.transactions().onWritten(true);
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
}
