package io.weirmq.storage;

import java.util.Optional;

/**
 * Settings of one log, under the meaning of Kafka's topic configurations of the same names.
 * Immutable; start from {@link #defaults()} or a {@link Builder}.
 *
 * @param segmentBytes {@code segment.bytes}: size in bytes at which the active segment rolls
 * @param segmentMs {@code segment.ms}: age in milliseconds at which it rolls
 * @param segmentJitterMs {@code segment.jitter.ms}: random part taken off {@code segmentMs}
 * @param segmentIndexBytes {@code segment.index.bytes}: size in bytes at which an index is full
 * @param indexIntervalBytes {@code index.interval.bytes}: bytes of log per index entry
 * @param retentionMs {@code retention.ms}: age at which a segment is removed, -1 for never
 * @param retentionBytes {@code retention.bytes}: size of the log above which segments are removed,
 *     -1 for never
 * @param maxMessageBytes {@code max.message.bytes}: largest batch in bytes
 * @param compressionType {@code compression.type}: codec to store with; empty for the producer's
 * @param compact whether {@code cleanup.policy} has {@code compact}
 * @param delete whether {@code cleanup.policy} has {@code delete}
 * @param compaction when and how the log is compacted, where it is
 * @param logAppendTime whether {@code message.timestamp.type} is {@code LogAppendTime}
 * @param timestampBeforeMaxMs {@code message.timestamp.before.max.ms}: how old a record may be
 * @param timestampAfterMaxMs {@code message.timestamp.after.max.ms}: how far in the future it may
 *     be
 * @param flushMessages {@code flush.messages}: records after which the log is put on the disk
 * @param flushMs {@code flush.ms}: milliseconds after which the log is put on the disk
 * @param fileDeleteDelayMs {@code file.delete.delay.ms}: wait between renaming and removing files
 * @param producerIdExpirationMs {@code producer.id.expiration.ms}: idle time of a producer's state
 */
public record LogConfig(
    int segmentBytes,
    long segmentMs,
    long segmentJitterMs,
    int segmentIndexBytes,
    int indexIntervalBytes,
    long retentionMs,
    long retentionBytes,
    int maxMessageBytes,
    Optional<CompressionType> compressionType,
    boolean compact,
    boolean delete,
    CompactionConfig compaction,
    boolean logAppendTime,
    long timestampBeforeMaxMs,
    long timestampAfterMaxMs,
    long flushMessages,
    long flushMs,
    long fileDeleteDelayMs,
    long producerIdExpirationMs) {

  private static final LogConfig DEFAULTS = new Builder().build();

  /** Returns Kafka's defaults. */
  public static LogConfig defaults() {
    return DEFAULTS;
  }

  /** Returns a builder that starts from this configuration. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.segmentBytes = segmentBytes;
    builder.segmentMs = segmentMs;
    builder.segmentJitterMs = segmentJitterMs;
    builder.segmentIndexBytes = segmentIndexBytes;
    builder.indexIntervalBytes = indexIntervalBytes;
    builder.retentionMs = retentionMs;
    builder.retentionBytes = retentionBytes;
    builder.maxMessageBytes = maxMessageBytes;
    builder.compressionType = compressionType;
    builder.compact = compact;
    builder.delete = delete;
    builder.compaction = compaction;
    builder.logAppendTime = logAppendTime;
    builder.timestampBeforeMaxMs = timestampBeforeMaxMs;
    builder.timestampAfterMaxMs = timestampAfterMaxMs;
    builder.flushMessages = flushMessages;
    builder.flushMs = flushMs;
    builder.fileDeleteDelayMs = fileDeleteDelayMs;
    builder.producerIdExpirationMs = producerIdExpirationMs;
    return builder;
  }

  /** Collects the settings of a log. Confined to one thread. */
  public static final class Builder {
    private int segmentBytes = 1 << 30;
    private long segmentMs = 7L * 24 * 60 * 60 * 1000;
    private long segmentJitterMs;
    private int segmentIndexBytes = 10 * 1024 * 1024;
    private int indexIntervalBytes = 4096;
    private long retentionMs = 7L * 24 * 60 * 60 * 1000;
    private long retentionBytes = -1;
    private int maxMessageBytes = 1024 * 1024 + 12;
    private Optional<CompressionType> compressionType = Optional.empty();
    private boolean compact;
    private boolean delete = true;
    private CompactionConfig compaction = CompactionConfig.defaults();
    private boolean logAppendTime;
    private long timestampBeforeMaxMs = Long.MAX_VALUE;
    private long timestampAfterMaxMs = 60L * 60 * 1000;
    private long flushMessages = Long.MAX_VALUE;
    private long flushMs = Long.MAX_VALUE;
    private long fileDeleteDelayMs = 60_000;
    private long producerIdExpirationMs = 24L * 60 * 60 * 1000;

    /** Sets {@code segment.bytes}. */
    public Builder segmentBytes(int bytes) {
      segmentBytes = bytes;
      return this;
    }

    /** Sets {@code segment.ms} and {@code segment.jitter.ms}. */
    public Builder segmentMs(long ms, long jitterMs) {
      segmentMs = ms;
      segmentJitterMs = jitterMs;
      return this;
    }

    /** Sets {@code segment.index.bytes} and {@code index.interval.bytes}. */
    public Builder index(int segmentIndexBytes, int intervalBytes) {
      this.segmentIndexBytes = segmentIndexBytes;
      this.indexIntervalBytes = intervalBytes;
      return this;
    }

    /** Sets {@code retention.ms}, -1 for never. */
    public Builder retentionMs(long ms) {
      retentionMs = ms;
      return this;
    }

    /** Sets {@code retention.bytes}, -1 for never. */
    public Builder retentionBytes(long bytes) {
      retentionBytes = bytes;
      return this;
    }

    /** Sets {@code max.message.bytes}. */
    public Builder maxMessageBytes(int bytes) {
      maxMessageBytes = bytes;
      return this;
    }

    /** Sets {@code compression.type}; empty for the producer's. */
    public Builder compressionType(Optional<CompressionType> type) {
      compressionType = type;
      return this;
    }

    /** Sets {@code cleanup.policy}. */
    public Builder cleanupPolicy(boolean compact, boolean delete) {
      this.compact = compact;
      this.delete = delete;
      return this;
    }

    /** Sets when and how the log is compacted, where its policy asks for it. */
    public Builder compaction(CompactionConfig config) {
      compaction = config;
      return this;
    }

    /** Sets whether {@code message.timestamp.type} is {@code LogAppendTime}. */
    public Builder logAppendTime(boolean on) {
      logAppendTime = on;
      return this;
    }

    /** Sets {@code message.timestamp.before.max.ms} and {@code message.timestamp.after.max.ms}. */
    public Builder timestampBounds(long beforeMaxMs, long afterMaxMs) {
      timestampBeforeMaxMs = beforeMaxMs;
      timestampAfterMaxMs = afterMaxMs;
      return this;
    }

    /** Sets {@code flush.messages} and {@code flush.ms}. */
    public Builder flush(long messages, long ms) {
      flushMessages = messages;
      flushMs = ms;
      return this;
    }

    /** Sets {@code file.delete.delay.ms}. */
    public Builder fileDeleteDelayMs(long ms) {
      fileDeleteDelayMs = ms;
      return this;
    }

    /** Sets {@code producer.id.expiration.ms}. */
    public Builder producerIdExpirationMs(long ms) {
      producerIdExpirationMs = ms;
      return this;
    }

    /** Returns the configuration. */
    public LogConfig build() {
      return new LogConfig(
          segmentBytes,
          segmentMs,
          segmentJitterMs,
          segmentIndexBytes,
          indexIntervalBytes,
          retentionMs,
          retentionBytes,
          maxMessageBytes,
          compressionType,
          compact,
          delete,
          compaction,
          logAppendTime,
          timestampBeforeMaxMs,
          timestampAfterMaxMs,
          flushMessages,
          flushMs,
          fileDeleteDelayMs,
          producerIdExpirationMs);
    }
  }
}
