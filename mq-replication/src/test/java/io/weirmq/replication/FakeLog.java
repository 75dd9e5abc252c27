package io.weirmq.replication;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.ProducerSummary;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A log that counts offsets and stores nothing: each append adds one record. */
final class FakeLog implements PartitionLog, LogWriter {

  final List<Integer> stampedEpochs = new ArrayList<>();
  private final TopicPartition name;
  private final UUID topicId;
  private LogConfig config;
  private long start;
  private long end;
  private long highWatermark;
  private int latestEpoch = -1;
  long restDueAtMs = Long.MAX_VALUE;
  int rests;

  /** Where 0 or more, appends are taken for repetitions of the record there. */
  long repeatedOffset = -1;

  FakeLog(TopicPartition name, UUID topicId, LogConfig config) {
    this.name = name;
    this.topicId = topicId;
    this.config = config;
  }

  /** Makes it look as a log that was found on the disk. */
  FakeLog recovered(long logEnd, long storedHighWatermark, int epoch) {
    end = logEnd;
    highWatermark = storedHighWatermark;
    latestEpoch = epoch;
    return this;
  }

  AppendResult append(AppendRequest request) {
    stampedEpochs.add(request.leaderEpoch());
    latestEpoch = request.leaderEpoch();
    if (repeatedOffset >= 0) {
      return new AppendResult.Duplicate(repeatedOffset, repeatedOffset, -1, start);
    }
    long offset = end++;
    return new AppendResult.Appended(offset, offset, -1, start);
  }

  @Override
  public TopicPartition topicPartition() {
    return name;
  }

  @Override
  public UUID topicId() {
    return topicId;
  }

  @Override
  public LogConfig config() {
    return config;
  }

  @Override
  public long logStartOffset() {
    return start;
  }

  @Override
  public long logEndOffset() {
    return end;
  }

  @Override
  public long highWatermark() {
    return highWatermark;
  }

  @Override
  public long lastStableOffset() {
    return highWatermark;
  }

  @Override
  public int latestEpoch() {
    return latestEpoch;
  }

  @Override
  public long sizeBytes() {
    return end - start;
  }

  @Override
  public int segmentCount() {
    return 1;
  }

  @Override
  public LogSlice read(long offset, int maxBytes, long limitOffset, boolean atLeastOneBatch) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<TimestampedOffset> findByTimestamp(long timestampMs, long limitOffset) {
    return Optional.empty();
  }

  @Override
  public Optional<TimestampedOffset> findMaxTimestamp() {
    return Optional.empty();
  }

  @Override
  public EpochEndOffset endOffsetOfEpoch(int epoch, int currentEpoch) {
    return epoch == currentEpoch ? new EpochEndOffset(epoch, end) : EpochEndOffset.UNDEFINED;
  }

  @Override
  public int epochOfOffset(long offset) {
    return latestEpoch;
  }

  @Override
  public List<AbortedTransaction> abortedTransactions(long fromOffset, long toOffset) {
    return List.of();
  }

  @Override
  public List<ProducerSummary> producers() {
    return List.of();
  }

  @Override
  public PartitionLog log() {
    return this;
  }

  @Override
  public void advanceHighWatermark(long offset) {
    highWatermark = Math.max(highWatermark, Math.min(offset, end));
  }

  @Override
  public void beginEpoch(int leaderEpoch) {
    latestEpoch = leaderEpoch;
  }

  @Override
  public long deleteRecordsBefore(long offset) throws OffsetOutOfRangeException {
    if (offset > highWatermark) {
      throw new OffsetOutOfRangeException(name, offset, start, highWatermark);
    }
    start = Math.max(start, offset);
    return start;
  }

  @Override
  public int applyRetention(long nowMs) {
    start = highWatermark;
    return 1;
  }

  @Override
  public void expireProducers(long nowMs) {}

  @Override
  public void truncateTo(long offset) {
    end = Math.min(end, offset);
  }

  @Override
  public void roll() {}

  @Override
  public void flushIfDue(long nowMs) {}

  @Override
  public boolean isRestDue(long nowMs) {
    return restDueAtMs <= nowMs && rests == 0;
  }

  @Override
  public void rest(long nowMs) {
    rests++;
  }

  @Override
  public long settledOffset() {
    return logEndOffset();
  }

  @Override
  public void flush() {}

  @Override
  public void reconfigure(LogConfig newConfig) {
    config = newConfig;
  }
}
