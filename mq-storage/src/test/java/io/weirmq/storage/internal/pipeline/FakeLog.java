package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.FlushTarget;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.internal.WritableLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A log that keeps counts only, and fails where a test wants it. */
final class FakeLog implements WritableLog, AppendTarget {

  /** What a test puts in place of an act. */
  interface Hook {
    void run() throws StorageException;
  }

  private final TopicPartition partition;
  private final FakeFlushes flushes = new FakeFlushes();

  final List<String> acts = new ArrayList<>();
  volatile long endOffset;
  long stagedEnd;
  int commitCount;
  volatile int flushCount;
  volatile boolean waitsForFlush;
  volatile long flushedOffset;
  volatile int generation;
  boolean recordsActs = true;
  Hook onStage = () -> {};
  Hook onCommit = () -> {};
  Hook onFlush = () -> {};

  FakeLog(String topic) {
    this.partition = new TopicPartition(topic, 0);
  }

  @Override
  public AppendTarget appendTarget() {
    return this;
  }

  @Override
  public AppendResult stage(
      ValidatedBatch batch, AppendOrigin origin, int leaderEpoch, long nowMs) {
    try {
      onStage.run();
    } catch (StorageException e) {
      return new AppendResult.Failed(e);
    }
    long base = stagedEnd;
    stagedEnd += batch.recordCount();
    act("stage");
    return new AppendResult.Appended(base, stagedEnd - 1, -1, 0);
  }

  @Override
  public void commit() throws StorageException {
    try {
      onCommit.run();
    } catch (StorageException | RuntimeException e) {
      stagedEnd = endOffset;
      throw e;
    }
    commitCount++;
    endOffset = stagedEnd;
    act("commit");
  }

  @Override
  public FlushTarget flushTarget() {
    return flushes;
  }

  @Override
  public void flushIfDue(long nowMs) {}

  @Override
  public void rest(long nowMs) {}

  @Override
  public long settledOffset() {
    return flushes.settledOffset();
  }

  /** As durable as the last flush, where a test makes appends wait. */
  private final class FakeFlushes implements FlushTarget {

    @Override
    public Demand demand(long nowMs) {
      return waitsForFlush && flushedOffset < endOffset ? Demand.ALL : Demand.NONE;
    }

    @Override
    public long settledOffset() {
      return waitsForFlush ? flushedOffset : endOffset;
    }

    @Override
    public int generation() {
      return generation;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one flush at a time
    public void flush(Demand reach) throws StorageException {
      long end = endOffset;
      onFlush.run();
      flushCount++;
      flushedOffset = end;
    }
  }

  void act(String name) {
    if (recordsActs) {
      acts.add(name);
    }
  }

  @Override
  public PartitionLog log() {
    return this;
  }

  @Override
  public TopicPartition topicPartition() {
    return partition;
  }

  @Override
  public LogConfig config() {
    return LogConfig.defaults();
  }

  @Override
  public long logEndOffset() {
    return endOffset;
  }

  @Override
  public UUID topicId() {
    throw new UnsupportedOperationException();
  }

  @Override
  public long logStartOffset() {
    return 0;
  }

  @Override
  public long highWatermark() {
    throw new UnsupportedOperationException();
  }

  @Override
  public long lastStableOffset() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int latestEpoch() {
    throw new UnsupportedOperationException();
  }

  @Override
  public long sizeBytes() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int segmentCount() {
    throw new UnsupportedOperationException();
  }

  @Override
  public LogSlice read(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<TimestampedOffset> findByTimestamp(long timestampMs, long limitOffset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<TimestampedOffset> findMaxTimestamp() {
    throw new UnsupportedOperationException();
  }

  @Override
  public EpochEndOffset endOffsetOfEpoch(int epoch, int currentEpoch) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int epochOfOffset(long offset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<AbortedTransaction> abortedTransactions(long fromOffset, long toOffset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<ProducerSummary> producers() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void advanceHighWatermark(long offset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void beginEpoch(int leaderEpoch) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long deleteRecordsBefore(long offset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int applyRetention(long nowMs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void expireProducers(long nowMs) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void truncateTo(long offset) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void roll() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void flush() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void reconfigure(LogConfig config) {
    throw new UnsupportedOperationException();
  }
}
