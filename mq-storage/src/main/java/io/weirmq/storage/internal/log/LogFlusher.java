package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.log.SegmentCheckpoints.Asked;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Puts a log on the disk and raises the flushed offset and the recovery point.
 *
 * <p>A flush forces the batches of all segments from the recovery point on. Of segments that are
 * sealed it forces what is derived from the batches as well, before the recovery point passes them;
 * of the active one it does not: recovery reads the segment that holds the recovery point from its
 * start and makes the derived files anew, so that a flush of the newest batches is one force. It
 * leaves the recovery point one below the end therefore, in the segment whatever comes next. What
 * is derived and can't be forced holds the recovery point back, no more. Where a segment checkpoint
 * was asked for, its derived files are forced up to there, and then the checkpoint is written, see
 * {@link SegmentCheckpoints}. Of a log that is put to rest, and of one that is closed, it forces
 * the derived files of the active segment too, see {@link LogRest}.
 *
 * <p>Once batches or names could not be forced, it isn't known what of them the disk holds, and a
 * later force that succeeds says nothing about it: the log fails, see {@link LogHealth}, both
 * offsets stay for good, and the next start writes what is in doubt again.
 *
 * <p>Order: the generation is taken first, then the log end, then the list of segments. So the
 * files of all batches below that end are in the list, and a cut at any time after the first step
 * drops the result, see {@link FlushProgress}. The writer goes on meanwhile; what it appends behind
 * that end may be forced along but does not count.
 *
 * <p>Safe for use by several threads. Flushes exclude each other; the writer waits for none of
 * them, except where it asks for one itself by {@link #flushAll}.
 */
final class LogFlusher implements FlushTarget {

  private static final long NO_OFFSET = -1;

  private final LogState state;
  private final LogRest rest;
  private final SegmentCheckpoints checkpoints;
  private final InstantSource clock;
  private final DerivedFiles derivedFiles;
  private final Lock flushing = new ReentrantLock();

  /** Counts files that were made; the folder is forced where it has changed. */
  private volatile int namesMade = 1;

  /** Guarded by {@link #flushing}. */
  private int namesForced;

  /**
   * Whether the log's own folder and topic id may be lost in a power cut. A recovery point above 0
   * is the proof that they were forced: no flush raises it before. Guarded by {@link #flushing}.
   */
  private boolean birthUnforced;

  private volatile long lastFlushMs;
  private volatile boolean timeIsUp;

  /** Base offset of the active segment when sealed ones were flushed last. */
  private volatile long sealedTriedBelow = NO_OFFSET;

  LogFlusher(LogState state, LogRest rest, SegmentCheckpoints checkpoints, InstantSource clock) {
    this.state = state;
    this.rest = rest;
    this.checkpoints = checkpoints;
    this.clock = clock;
    this.derivedFiles =
        new DerivedFiles(state.identity().environment().files(), state.identity().folder());
    this.lastFlushMs = clock.millis();
    this.birthUnforced = state.progress().recoveryPoint() == 0;
  }

  /** Notes that a file was made, so that the folder is forced with the next flush. Writer only. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void namesChanged() {
    namesMade++;
  }

  /** Notes that {@code flush.ms} has passed, where it has. Writer only. */
  void lookAtTime(long nowMs) {
    if (state.endAcquire().offset() <= state.progress().flushedOffset()) {
      lastFlushMs = nowMs;
    } else if (nowMs - lastFlushMs >= state.config().flushMs()) {
      timeIsUp = true;
    }
  }

  /** Asks for sealed segments that an earlier flush has left out. Writer only. */
  void retrySealed() {
    sealedTriedBelow = NO_OFFSET;
  }

  @Override
  public Demand demand(long nowMs) {
    if (state.failure() != null) {
      return Demand.NONE;
    }
    lookAtTime(nowMs);
    if (rest.isAsked()) {
      return Demand.REST;
    }
    long end = state.endAcquire().offset();
    if (timeIsUp || (end > state.progress().flushedOffset() && settledOffset() < end)) {
      return Demand.ALL;
    }
    if (checkpoints.isAsked()) {
      return Demand.CHECKPOINT;
    }
    long activeFrom = state.segments().last().baseOffset();
    boolean sealedWait =
        state.progress().recoveryPoint() < Math.min(activeFrom, end)
            && sealedTriedBelow != activeFrom;
    return sealedWait ? Demand.SEALED : Demand.NONE;
  }

  @Override
  public long settledOffset() {
    long end = state.endAcquire().offset();
    long mayWait = state.config().flushMessages() - 1;
    long flushed = state.progress().flushedOffset();
    return end - flushed <= mayWait ? end : flushed + mayWait;
  }

  @Override
  public int generation() {
    return state.progress().generation();
  }

  @Override
  public void flush(Demand reach) throws StorageException {
    flush(reach, false);
  }

  /**
   * Puts all on the disk, and the recovery point at the log end. Writer only.
   *
   * @param closing whether the files of the active segment are whole, and forced too
   * @throws StorageException where the disk refuses
   */
  void flushAll(boolean closing) throws StorageException {
    if (!flush(Demand.ALL, closing)) {
      throw new StorageException(
          "indexes or snapshots in %s can't be forced to the disk"
              .formatted(state.identity().folder()));
    }
  }

  /** Returns whether the recovery point could go as far as the batches. */
  private boolean flush(Demand reach, boolean closing) throws StorageException {
    flushing.lock();
    try {
      ensureNotFailed();
      if (reach != Demand.SEALED) {
        timeIsUp = false;
      }
      long startedMs = clock.millis();
      FlushPlan plan = plan(reach, closing);
      if (isDone(plan)) {
        return true;
      }
      if (plan.resting()) {
        // Where that fails, a start reads an older one and the batches from there on.
        derivedFiles.forceSnapshot(plan.end());
      }
      Forced forced = force(plan.segments(), plan.through(), plan.activeToo());
      Asked checkpoint = plan.checkpoint();
      if (checkpoint != null && forced.whole()) {
        write(checkpoint);
      }
      state.progress().raise(plan.generation(), plan.through(), forced.recoveryPoint());
      if (plan.through() == plan.end()) {
        lastFlushMs = startedMs;
      }
      return forced.whole();
    } finally {
      flushing.unlock();
    }
  }

  /**
   * What one flush has to do, by the log as it was when the flush began.
   *
   * @param generation a cut since then drops the result
   * @param end the log end
   * @param segments hold all batches below the end
   * @param through the offset below which batches are forced
   * @param resting whether the log is put to rest
   * @param activeToo whether what is derived from the active segment is forced too
   * @param checkpoint written behind the rest; null where none was asked for
   */
  private record FlushPlan(
      int generation,
      long end,
      SegmentList segments,
      long through,
      boolean resting,
      boolean activeToo,
      @Nullable Asked checkpoint) {}

  /** Takes what was asked for; in the order that the class names. */
  private FlushPlan plan(Demand reach, boolean closing) {
    int generation = state.progress().generation();
    long end = state.endAcquire().offset();
    boolean resting = reach == Demand.REST && rest.take(generation, end);
    Asked checkpoint = reach == Demand.SEALED ? null : checkpoints.take(generation, end);
    SegmentList segments = state.segments();
    long activeFrom = segments.last().baseOffset();
    sealedTriedBelow = activeFrom;
    long through = reach == Demand.SEALED ? Math.min(end, activeFrom) : end;
    return new FlushPlan(
        generation, end, segments, through, resting, closing || resting, checkpoint);
  }

  /** Whether an earlier flush has done all of it. */
  private boolean isDone(FlushPlan plan) {
    Segment active = plan.segments().last();
    boolean derivedWait =
        state.progress().recoveryPoint() < Math.min(plan.through(), active.baseOffset())
            || (plan.activeToo() && active.sizeBytes() > 0);
    return plan.through() <= state.progress().flushedOffset()
        && !derivedWait
        && plan.checkpoint() == null;
  }

  private void ensureNotFailed() throws StorageException {
    StorageException failure = state.failure();
    if (failure != null) {
      throw new StorageException(
          "%s is not put on the disk: %s"
              .formatted(state.identity().partition(), failure.getMessage()),
          failure);
    }
  }

  /**
   * What a flush has put on the disk beside the batches.
   *
   * @param recoveryPoint how far the recovery point may go
   * @param whole whether all was forced that was asked for
   */
  private record Forced(long recoveryPoint, boolean whole) {}

  /** Forces what lies below an offset. */
  private Forced force(SegmentList segments, long through, boolean activeToo)
      throws StorageException {
    int namesSeen = namesMade;
    long flushed = state.progress().flushedOffset();
    long recoveryPoint = state.progress().recoveryPoint();
    // Where what is derived from the active segment is not forced, the recovery point stays in it:
    // at its end it would lie in the next segment after a roll, and this one was never looked at.
    boolean activeIsDerived = activeToo || segments.last().baseOffset() >= through;
    long recoveryPointAfter = activeIsDerived ? through : Math.max(recoveryPoint, through - 1);
    boolean whole = true;
    for (int i = segments.floorIndex(recoveryPoint);
        i < segments.size() && segments.get(i).baseOffset() < through;
        i++) {
      Segment segment = segments.get(i);
      if (segments.nextBaseOffset(i) > flushed) {
        forceBatches(segment);
      }
      if (whole && !forceDerived(segments, i, activeToo)) {
        whole = false;
        recoveryPointAfter = Math.max(recoveryPoint, segment.baseOffset());
      }
    }
    forceNames(namesSeen);
    if (!derivedFiles.save(state.epochs())) {
      return new Forced(recoveryPoint, false);
    }
    if (whole) {
      derivedFiles.allForced();
    }
    return new Forced(recoveryPointAfter, whole);
  }

  /** Writes a checkpoint of a segment whose batches, and all that lies before it, are forced. */
  private void write(Asked checkpoint) throws StorageException {
    Segment segment = checkpoint.segment();
    boolean forced =
        derivedFiles.forceIndexes(segment)
            && (checkpoint.checkpoint().abortedCount() == 0
                || derivedFiles.forceTransactionIndex(segment));
    if (forced && derivedFiles.write(checkpoints, checkpoint)) {
      forceFolder();
    }
  }

  private boolean forceDerived(SegmentList segments, int index, boolean activeToo) {
    Segment segment = segments.get(index);
    boolean sealed = index < segments.size() - 1;
    if (!sealed && !activeToo) {
      return true;
    }
    return derivedFiles.forceIndexes(segment)
        && (!segment.transactions().exists() || derivedFiles.forceTransactionIndex(segment))
        && (!sealed || derivedFiles.forceSnapshot(segments.nextBaseOffset(index)));
  }

  private void forceBatches(Segment segment) throws StorageException {
    OpenSegment holder;
    try {
      holder = segment.retain();
    } catch (StorageException e) {
      if (segment.isRemoved() && !state.segments().asList().contains(segment)) {
        return; // nothing of it is left to lose
      }
      throw e;
    }
    try {
      holder.log().force();
    } catch (IOException e) {
      throw failed(
          new StorageException(
              "%s can't be forced to the disk: %s".formatted(holder.log().path(), e), e));
    } finally {
      holder.release();
    }
  }

  private void forceNames(int namesSeen) throws StorageException {
    if (birthUnforced) {
      try {
        state.identity().owner().forceBirth(state.identity().partition());
      } catch (StorageException e) {
        throw failed(e);
      }
      birthUnforced = false;
    }
    if (namesForced == namesSeen) {
      return;
    }
    forceFolder();
    namesForced = namesSeen;
  }

  private void forceFolder() throws StorageException {
    try {
      state.identity().environment().files().forceDirectory(state.identity().folder());
    } catch (IOException e) {
      throw failed(
          new StorageException(
              "names in %s can't be forced to the disk: %s".formatted(state.identity().folder(), e),
              e));
    }
  }

  private StorageException failed(StorageException cause) {
    return state.forceFailed(cause);
  }
}
