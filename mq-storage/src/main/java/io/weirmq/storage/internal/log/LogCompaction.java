package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.CompactionConfig;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFacts;
import java.io.IOException;
import java.util.List;

/**
 * What compaction sees of a log, and how its output gets in. Each method says whose thread it is
 * for; {@code cleaner} is any thread, one at a time.
 *
 * <p>Output takes the place of segments in this order, so that a restart after any step finds one
 * generation of each offset, see ADR 12:
 *
 * <pre>
 *   cleaner  output is on the disk under .swap names
 *   writer   {@link #replace}: readers see the output, the old files are named .deleted
 *   cleaner  {@link #forceNames}
 *   writer   {@link #settle}: the output gets its own names
 *   cleaner  {@link #forceNames}
 *   writer   {@link #cleanedTo}, when all output of a run is in
 * </pre>
 */
public final class LogCompaction {

  private final LogState state;
  private final Snapshots snapshots;
  private final FlushTarget flusher;
  private final SegmentRemoval removal;
  private final TransactionSearch transactions;

  LogCompaction(LogState state, Snapshots snapshots, FlushTarget flusher) {
    this.state = state;
    this.flusher = flusher;
    this.snapshots = snapshots;
    this.removal = new SegmentRemoval(state, snapshots);
    this.transactions = new TransactionSearch(state);
  }

  /** Which log it is. Any thread. */
  public LogIdentity identity() {
    return state.identity();
  }

  /** The configuration in force. Any thread. */
  public LogConfig config() {
    return state.config();
  }

  /**
   * Works out what may be rewritten now: whole segments that end at or below the last stable offset
   * and lie before the active one, up to the first that is too new. Any thread.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   * @throws StorageException where the age of a segment can't be read
   */
  public CleanableSection section(long nowMs) throws StorageException {
    return StableRead.of(state, () -> sectionOnce(nowMs));
  }

  private CleanableSection sectionOnce(long nowMs) throws StorageException {
    int cuts = state.cuts();
    CompactionConfig config = state.config().compaction();
    long stable = state.lastStableAcquire().offset();
    SegmentList segments = state.segments();
    long dirty = Math.max(state.logStartOffset(), state.cleanedOffset());
    long cleanBytes = 0;
    long dirtyBytes = 0;
    boolean overdue = false;
    int count = 0;
    while (count < segments.size() - 1 && segments.nextBaseOffset(count) <= stable) {
      Segment segment = segments.get(count);
      if (segments.nextBaseOffset(count) <= dirty) {
        cleanBytes += segment.sizeBytes();
      } else if (config.minLagMs() > 0
          && nowMs - SegmentAge.fromMs(state, segment, nowMs) < config.minLagMs()) {
        break;
      } else {
        dirtyBytes += segment.sizeBytes();
        overdue |= isOverdue(segment, config, nowMs);
      }
      count++;
    }
    return new CleanableSection(
        segments,
        count,
        dirty,
        segments.get(count).baseOffset(),
        cleanBytes,
        dirtyBytes,
        overdue,
        isOverdue(segments.last(), config, nowMs),
        cuts);
  }

  private static boolean isOverdue(Segment segment, CompactionConfig config, long nowMs)
      throws StorageException {
    if (!config.hasMaxLag() || segment.sizeBytes() == 0) {
      return false;
    }
    long first = SegmentFacts.firstTimestampMs(segment);
    return Timestamps.isBelievable(first, nowMs) && nowMs - first > config.maxLagMs();
  }

  /**
   * The aborted transactions with records in a range. Any thread.
   *
   * @throws StorageException where a transaction index can't be read
   */
  public List<AbortedTransaction> abortedTransactions(long fromOffset, long toOffset)
      throws StorageException {
    return StableRead.of(state, () -> transactions.find(fromOffset, toOffset));
  }

  /** Whether a segment is one of the log's now. Any thread. */
  public boolean has(Segment segment) {
    return state.segments().asList().contains(segment);
  }

  /** What is known of each producer, with the offset of its last batch. Writer only. */
  public List<ProducerSnapshotEntry> producers() {
    return state.producers().snapshot();
  }

  /**
   * Puts a section on the disk, and makes the recovery point durable that says so. To be done
   * before its output gets in: the last records of a segment may go, and a restart takes a gap
   * between segments behind the recovery point for what a power cut has lost. The cleaner's thread.
   *
   * @throws StorageException where the disk refuses
   */
  public void forceSection(CleanableSection section) throws StorageException {
    flusher.flush(FlushTarget.Demand.SEALED);
    long recoveryPoint = state.progress().recoveryPoint();
    if (recoveryPoint < section.endOffset()) {
      throw new StorageException(
          "%s is not compacted to offset %d: its recovery point is %d, as what is derived from its"
                  .formatted(state.identity().partition(), section.endOffset(), recoveryPoint)
              + " batches can't be forced to the disk");
    }
    state.identity().owner().recordRecoveryPoints();
  }

  /**
   * Puts segments in the place of others.
   *
   * @param before segments of the section, in their order
   * @param after output under its unsettled names, in order, at least one
   * @param cuts as in the section, or as returned by the last {@link #settle}
   * @throws LogChangedException where the log was cut or lost one of the segments meanwhile;
   *     nothing has happened
   * @throws StorageException where an old file can't be renamed; readers see the output, and a
   *     restart ends what was begun
   */
  public void replace(List<Segment> before, List<Segment> after, int cuts) throws StorageException {
    SegmentList now = state.segments();
    int first = now.asList().indexOf(before.get(0));
    boolean there =
        first >= 0
            && first + before.size() < now.size()
            && now.asList().subList(first, first + before.size()).equals(before);
    if (!there || cuts != state.cuts()) {
      throw new LogChangedException(
          "%s was cut or lost segments while it was compacted"
              .formatted(state.identity().partition()));
    }
    SegmentList list = now.replace(first, before.size(), after);
    state.replaced(list);
    for (Segment old : before) {
      removal.removeFiles(old);
    }
    snapshots.removeStrays(list);
  }

  /**
   * Gives output its own names. Writer only, after the names that {@link #replace} gave are on the
   * disk.
   *
   * @return what the next {@link #replace} is to be called with
   * @throws StorageException where a file can't be renamed; a restart ends what was begun
   */
  public int settle(List<Segment> output) throws StorageException {
    try {
      for (Segment segment : output) {
        segment.settle();
      }
    } finally {
      // A reader may have looked for a file under the name that it has no more.
      state.replaced(state.segments());
    }
    return state.cuts();
  }

  /**
   * Makes the names in the log's folder durable. Blocks for as long as the disk takes; the
   * cleaner's thread.
   *
   * @throws StorageException where the disk refuses
   */
  public void forceNames() throws StorageException {
    try {
      state.identity().environment().files().forceDirectory(state.identity().folder());
    } catch (IOException e) {
      throw new StorageException(
          "names in %s can't be forced to the disk: %s".formatted(state.identity().folder(), e), e);
    }
  }

  /**
   * Notes that the log is compacted below an offset. Writer only.
   *
   * @param cuts as returned by the last {@link #settle}
   * @return whether it was noted; not where the log was cut meanwhile
   */
  public boolean cleanedTo(long offset, int cuts) {
    if (cuts != state.cuts()) {
      return false;
    }
    state.cleanedOffset(offset);
    state.transactionRecords().remember(state.segments());
    return true;
  }

  /**
   * Makes that offset durable. The cleaner's thread.
   *
   * @throws StorageException where the disk refuses
   */
  public void recordCleaned() throws StorageException {
    state.identity().owner().recordCleaned(state.identity().partition(), state.cleanedOffset());
  }
}
