package io.weirmq.storage.record;

import io.weirmq.storage.CompressionType;
import io.weirmq.storage.compress.Compressor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a record batch from records.
 *
 * <pre>{@code
 * ByteBuffer batch = new RecordBatchBuilder()
 *     .compression(CompressionType.ZSTD)
 *     .producer(producerId, epoch, sequence)
 *     .append(nowMs, key, value)
 *     .build();
 * }</pre>
 *
 * <p>Settings may be made at any time before {@link #build()}. Confined to one thread.
 */
public final class RecordBatchBuilder {

  private static final int INITIAL_BYTES = 512;

  private final Compressor compressor;
  private final ByteSink records = new ByteSink(INITIAL_BYTES);
  private final ByteSink record = new ByteSink(INITIAL_BYTES);

  private CompressionType codec = CompressionType.NONE;
  private long baseOffset;
  private int leaderEpoch = RecordBatch.NO_LEADER_EPOCH;
  private long producerId = RecordBatch.NO_PRODUCER_ID;
  private short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
  private int baseSequence = RecordBatch.NO_SEQUENCE;
  private boolean transactional;
  private boolean control;
  private boolean logAppendTime;
  private long logAppendTimeMs = RecordBatch.NO_TIMESTAMP;

  private int recordCount;
  private int lastOffsetDelta = -1;
  private long baseTimestampMs = RecordBatch.NO_TIMESTAMP;
  private long maxTimestampMs = RecordBatch.NO_TIMESTAMP;

  /** Begins an empty batch, not compressed, at offset 0, without a producer. */
  public RecordBatchBuilder() {
    this(new Compressor());
  }

  /** Begins an empty batch that compresses with the caller's compressor. */
  public RecordBatchBuilder(Compressor compressor) {
    this.compressor = compressor;
  }

  /**
   * Makes the control batch that ends a transaction.
   *
   * @param nowMs its timestamp, milliseconds since the epoch
   * @return the batch from position to limit
   */
  public static ByteBuffer endTransaction(
      EndTransactionMarker marker, long producerId, short producerEpoch, long nowMs) {
    return new RecordBatchBuilder()
        .producer(producerId, producerEpoch, RecordBatch.NO_SEQUENCE)
        .transactional()
        .control()
        .append(nowMs, marker.key(), marker.value())
        .build();
  }

  /** Sets the codec. */
  public RecordBatchBuilder compression(CompressionType type) {
    codec = type;
    return this;
  }

  /** Sets the offset of the first record; 0 in what a client sends. */
  public RecordBatchBuilder baseOffset(long offset) {
    baseOffset = offset;
    return this;
  }

  /** Sets the leader epoch; -1 in what a client sends. */
  public RecordBatchBuilder leaderEpoch(int epoch) {
    leaderEpoch = epoch;
    return this;
  }

  /**
   * Sets the producer.
   *
   * @param sequence of the first record; -1 for none
   */
  public RecordBatchBuilder producer(long id, short epoch, int sequence) {
    producerId = id;
    producerEpoch = epoch;
    baseSequence = sequence;
    return this;
  }

  /** Makes it a batch of a transaction. */
  public RecordBatchBuilder transactional() {
    transactional = true;
    return this;
  }

  /** Makes it a control batch. */
  public RecordBatchBuilder control() {
    control = true;
    return this;
  }

  /** Gives all records one timestamp, that of the append. */
  public RecordBatchBuilder logAppendTime(long ms) {
    logAppendTime = true;
    logAppendTimeMs = ms;
    return this;
  }

  /** Appends a record without headers, see {@link #append(long, ByteBuffer, ByteBuffer, List)}. */
  public RecordBatchBuilder append(
      long timestampMs, @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    return append(timestampMs, key, value, List.of());
  }

  /**
   * Appends a record at the next offset.
   *
   * @param timestampMs milliseconds since the epoch
   * @param key bytes from position to limit; copied
   * @param value bytes from position to limit; copied
   * @param headers copied
   */
  public RecordBatchBuilder append(
      long timestampMs,
      @Nullable ByteBuffer key,
      @Nullable ByteBuffer value,
      List<RecordHeader> headers) {
    return appendAt(lastOffsetDelta + 1, timestampMs, key, value, headers);
  }

  /**
   * Appends a record at a given distance from the base offset, as compaction leaves them.
   *
   * @param offsetDelta above the one of the record before
   */
  public RecordBatchBuilder appendAt(
      int offsetDelta,
      long timestampMs,
      @Nullable ByteBuffer key,
      @Nullable ByteBuffer value,
      List<RecordHeader> headers) {
    if (offsetDelta <= lastOffsetDelta) {
      throw new IllegalArgumentException(
          "offset delta is %d; expected more than %d".formatted(offsetDelta, lastOffsetDelta));
    }
    if (recordCount == 0) {
      baseTimestampMs = timestampMs;
      maxTimestampMs = timestampMs;
    }
    record.truncate(0);
    record.write(0);
    record.writeVarlong(timestampMs - baseTimestampMs);
    record.writeVarint(offsetDelta);
    writeNullable(key);
    writeNullable(value);
    record.writeVarint(headers.size());
    for (RecordHeader header : headers) {
      byte[] name = header.key().getBytes(StandardCharsets.UTF_8);
      record.writeVarint(name.length);
      record.write(name, 0, name.length);
      writeNullable(header.value());
    }
    records.writeVarint(record.size());
    records.write(record.array(), 0, record.size());
    recordCount++;
    lastOffsetDelta = offsetDelta;
    maxTimestampMs = Math.max(maxTimestampMs, timestampMs);
    return this;
  }

  /** The number of records so far. */
  public int recordCount() {
    return recordCount;
  }

  /** Size of the batch so far in bytes, before it is compressed. */
  public int sizeInBytes() {
    return RecordBatch.HEADER_BYTES + records.size();
  }

  /**
   * Makes the batch.
   *
   * @return a new buffer, with the batch from position to limit
   * @throws IllegalStateException where there are no records
   */
  public ByteBuffer build() {
    if (recordCount == 0) {
      throw new IllegalStateException("a batch has one record at least");
    }
    ByteSink bytes = new ByteSink(RecordBatch.HEADER_BYTES + records.size());
    bytes.write(new byte[RecordBatch.HEADER_BYTES], 0, RecordBatch.HEADER_BYTES);
    try (OutputStream block = compressor.open(codec, bytes)) {
      block.write(records.array(), 0, records.size());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    ByteBuffer batch = ByteBuffer.wrap(bytes.array(), 0, bytes.size());
    batch
        .putLong(baseOffset)
        .putInt(bytes.size() - RecordBatch.LOG_OVERHEAD_BYTES)
        .putInt(leaderEpoch)
        .put(RecordBatch.MAGIC_V2)
        .putInt(0)
        .putShort(attributes())
        .putInt(lastOffsetDelta)
        .putLong(baseTimestampMs)
        .putLong(logAppendTime ? logAppendTimeMs : maxTimestampMs)
        .putLong(producerId)
        .putShort(producerEpoch)
        .putInt(baseSequence)
        .putInt(recordCount)
        .rewind();
    RecordBatch.of(batch).writeCrc();
    return batch;
  }

  private short attributes() {
    int attributes = codec.id();
    attributes |= logAppendTime ? RecordBatch.LOG_APPEND_TIME_BIT : 0;
    attributes |= transactional ? RecordBatch.TRANSACTIONAL_BIT : 0;
    attributes |= control ? RecordBatch.CONTROL_BIT : 0;
    return (short) attributes;
  }

  private void writeNullable(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      record.writeVarint(-1);
    } else {
      record.writeVarint(bytes.remaining());
      record.write(bytes);
    }
  }
}
