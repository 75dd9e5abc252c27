package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.WritableLog;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A log in segments: the readers' side. Single writer, many readers; what they share is in {@link
 * LogState}.
 *
 * <p>The log owns no thread. Its writer's side is {@link #appendTarget()}; {@link #recoveryPoint()}
 * and {@link #close()} are for the data folder.
 */
public final class SegmentedLog implements WritableLog {

  private final LogState state;
  private final long recoveredFrom;
  private final SegmentedLogWriter writer;
  private final SliceReader slices;
  private final TimestampSearch timestamps;
  private final TransactionSearch transactions;
  private final LogCompaction compaction;

  private SegmentedLog(
      LogState state, Snapshots snapshots, long recoveredFrom, InstantSource clock) {
    this.state = state;
    this.recoveredFrom = recoveredFrom;
    this.slices = new SliceReader(state);
    this.timestamps = new TimestampSearch(state);
    this.transactions = new TransactionSearch(state);
    this.writer = new SegmentedLogWriter(this, state, snapshots, clock);
    this.compaction = new LogCompaction(state, snapshots, writer.flushTarget());
  }

  /**
   * Makes a log of what was loaded.
   *
   * @param clock wall clock
   */
  public static SegmentedLog of(
      LogIdentity identity, LogConfig config, LoadedLog loaded, InstantSource clock) {
    return new SegmentedLog(
        new LogState(identity, config, loaded), loaded.snapshots(), loaded.recoveredFrom(), clock);
  }

  @Override
  public AppendTarget appendTarget() {
    return writer;
  }

  @Override
  public TopicPartition topicPartition() {
    return state.identity().partition();
  }

  @Override
  public UUID topicId() {
    return state.identity().topicId();
  }

  @Override
  public LogConfig config() {
    return state.config();
  }

  @Override
  public long logStartOffset() {
    return state.logStartOffset();
  }

  @Override
  public long logEndOffset() {
    return state.endAcquire().offset();
  }

  @Override
  public long highWatermark() {
    return state.highWatermarkAcquire().offset();
  }

  @Override
  public long lastStableOffset() {
    return state.lastStableAcquire().offset();
  }

  @Override
  public int latestEpoch() {
    return state.epochs().latestEpoch();
  }

  @Override
  public boolean isWritable() {
    return state.health().isWritable();
  }

  @Override
  public boolean isRestDue(long nowMs) {
    return writer.isRestDue(nowMs);
  }

  @Override
  public long sizeBytes() {
    return state.segments().sizeBytes();
  }

  @Override
  public int segmentCount() {
    return state.segments().size();
  }

  @Override
  public LogSlice read(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch)
      throws StorageException {
    return slices.read(offset, maxBytes, limitOffset, atLeastOneBatch);
  }

  @Override
  public Optional<TimestampedOffset> findByTimestamp(long timestampMs, long limitOffset)
      throws StorageException {
    return StableRead.of(state, () -> timestamps.find(timestampMs, limitOffset));
  }

  @Override
  public Optional<TimestampedOffset> findMaxTimestamp() throws StorageException {
    return StableRead.of(state, timestamps::findMax);
  }

  @Override
  public EpochEndOffset endOffsetOfEpoch(int epoch, int currentEpoch) {
    return state.epochs().endOffsetOf(epoch, currentEpoch, logEndOffset());
  }

  @Override
  public int epochOfOffset(long offset) {
    return state.epochs().epochOfOffset(offset);
  }

  @Override
  public List<AbortedTransaction> abortedTransactions(long fromOffset, long toOffset)
      throws StorageException {
    return StableRead.of(state, () -> transactions.find(fromOffset, toOffset));
  }

  @Override
  public List<ProducerSummary> producers() {
    return state.producers().summaries();
  }

  /** The offset below which all batches are on the disk. */
  public long flushedOffset() {
    return state.progress().flushedOffset();
  }

  /** The offset below which a restart after a crash believes what the files say. */
  public long recoveryPoint() {
    return state.progress().recoveryPoint();
  }

  /**
   * The offset from which on the start has checked batches: the base offset of a segment, or the
   * offset of a checkpoint inside one; {@link LoadedLog#NOT_RECOVERED} where it had not to.
   */
  public long recoveredFrom() {
    return recoveredFrom;
  }

  /**
   * Puts what was found at the start on the disk where the flush policy asks for that, so that what
   * is readable from the start is as durable as what comes later. Before the log has a writer.
   *
   * @throws StorageException where the disk refuses
   */
  public void settle() throws StorageException {
    if (writer.settledOffset() < logEndOffset()) {
      writer.flush();
    }
  }

  /** What compaction sees of this log. */
  public LogCompaction compaction() {
    return compaction;
  }

  /** The offset below which the log was compacted, at least the log start. */
  public long cleanedOffset() {
    return Math.max(state.logStartOffset(), state.cleanedOffset());
  }

  /**
   * Takes over the offset that a checkpoint tells, before anybody uses the log. One that lies in
   * the active segment, or behind it, is of another log: all counts as new then.
   */
  public void cleanedOffset(long checkpointed) {
    boolean possible = checkpointed <= state.segments().last().baseOffset();
    state.cleanedOffset(possible ? checkpointed : 0);
  }

  /**
   * Makes all durable and closes the files; on the writer's thread, or when the log is attached to
   * no pipeline.
   *
   * @throws StorageException where something could not be made durable; the files are closed anyway
   */
  public void close() throws StorageException {
    writer.close();
  }

  /**
   * Closes the files of a log that was taken away. Slices that are held stay readable.
   *
   * @throws StorageException where index entries can't be written
   */
  public void abandon() throws StorageException {
    writer.closeFiles();
  }

  /** The partition and its offsets, for messages. */
  @Override
  public String toString() {
    return "%s [%d..%d)".formatted(topicPartition(), logStartOffset(), logEndOffset());
  }
}
