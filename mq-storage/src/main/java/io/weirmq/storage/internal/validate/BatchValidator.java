package io.weirmq.storage.internal.validate;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendResult.RejectReason;
import io.weirmq.storage.AppendResult.Rejected;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.BufferPool;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.compress.DecompressionException;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.ValidatedBatch;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a batch may go to a log, by the batch and the topic's configuration alone; what
 * depends on the log's state (sequences, epochs) is checked by the log.
 *
 * <p>A client's batch, in the order of the checks:
 *
 * <ol>
 *   <li>one batch, whole, of format v2, with base offset 0
 *   <li>not larger than {@code max.message.bytes} and {@code segment.bytes}, as sent
 *   <li>checksum, known codec
 *   <li>no control batch, no log append time, consistent counts and producer fields
 *   <li>each record: structure, offset deltas 0, 1, 2…, a key where the topic is compacted, a
 *       timestamp in the topic's bounds
 * </ol>
 *
 * <p>One bad record refuses the batch. Then the header is made to tell the truth: the greatest
 * timestamp of the records (append time is stamped by the log, together with the offsets); and the
 * batch is compressed anew where the topic has a codec of its own. Batches of coordinators skip
 * what is only meant for clients; those of a leader are checked for checksums and rising offsets.
 *
 * <p>Safe for use by several threads. Allocates a few small objects per batch, none per record.
 */
public final class BatchValidator {

  private final Decompressor decompressor;
  private final Recompression recompression;

  /** Makes a validator with a buffer pool of its own. */
  public BatchValidator() {
    this(new BufferPool());
  }

  /** Makes a validator with codecs over a pool. */
  public BatchValidator(BufferPool pool) {
    this(new Decompressor(pool, Decompressor.LIMIT_BYTES_DEFAULT), new Compressor(pool));
  }

  /** Makes a validator with the caller's codecs. */
  public BatchValidator(Decompressor decompressor, Compressor compressor) {
    this.decompressor = decompressor;
    this.recompression = new Recompression(decompressor, compressor);
  }

  /**
   * Validates a batch.
   *
   * @param partition for messages
   * @param batch from position to limit, writable and big-endian; borrowed. Where the outcome is
   *     valid, the greatest timestamp and the checksum may have been corrected in place
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public ValidationOutcome validate(
      TopicPartition partition,
      ByteBuffer batch,
      AppendOrigin origin,
      LogConfig config,
      long nowMs) {
    if (origin == AppendOrigin.REPLICATION) {
      return new ReplicatedBatches(partition, batch).validate();
    }
    Rejected unframed = checkFraming(partition, batch);
    if (unframed != null) {
      return new ValidationOutcome.Invalid(unframed);
    }
    RecordBatch view = RecordBatch.of(batch);
    Rejected rejected = checkHeader(partition, view, origin, config);
    if (rejected != null) {
      return new ValidationOutcome.Invalid(rejected);
    }
    boolean client = origin == AppendOrigin.CLIENT;
    RecordRules rules = client ? RecordRules.of(config, nowMs) : RecordRules.NONE;
    RecordScan scan = new RecordScan(partition, rules);
    try (RecordCursor cursor = new RecordCursor(decompressor)) {
      rejected = scan.run(cursor, view);
    }
    if (rejected != null) {
      return new ValidationOutcome.Invalid(rejected);
    }
    ValidatedBatch sound = stamp(view, batch, scan, config, nowMs);
    return client ? recompress(partition, view, sound, config) : new ValidationOutcome.Valid(sound);
  }

  private static @Nullable Rejected checkFraming(TopicPartition partition, ByteBuffer batch) {
    int available = batch.remaining();
    if (available > RecordBatch.MAGIC_POSITION) {
      byte magic = batch.get(batch.position() + RecordBatch.MAGIC_POSITION);
      if (magic != RecordBatch.MAGIC_V2) {
        return Rejections.invalid(
            partition, "message format is %d; expected %d".formatted(magic, RecordBatch.MAGIC_V2));
      }
    }
    if (available < RecordBatch.HEADER_BYTES) {
      return Rejections.invalid(
          partition,
          "%d bytes hold no batch; expected at least %d"
              .formatted(available, RecordBatch.HEADER_BYTES));
    }
    long size =
        (long) batch.getInt(batch.position() + RecordBatch.LENGTH_POSITION)
            + RecordBatch.LOG_OVERHEAD_BYTES;
    if (size < RecordBatch.HEADER_BYTES) {
      return Rejections.corrupt(
          partition,
          "batch claims %d bytes; expected at least %d".formatted(size, RecordBatch.HEADER_BYTES));
    }
    if (size != available) {
      return Rejections.invalid(
          partition,
          "batch claims %d bytes, and %d were sent; expected exactly one whole batch"
              .formatted(size, available));
    }
    return null;
  }

  private static @Nullable Rejected checkHeader(
      TopicPartition partition, RecordBatch batch, AppendOrigin origin, LogConfig config) {
    boolean client = origin == AppendOrigin.CLIENT;
    int size = batch.sizeInBytes();
    if (client && size > config.maxMessageBytes()) {
      return tooLarge(partition, size, config, "");
    }
    if (size > config.segmentBytes()) {
      return Rejections.of(
          RejectReason.RECORD_LIST_TOO_LARGE,
          partition,
          "batch has %d bytes; segment.bytes is %d".formatted(size, config.segmentBytes()));
    }
    if (batch.baseOffset() != 0) {
      return Rejections.invalid(
          partition, "base offset is %d; expected 0".formatted(batch.baseOffset()));
    }
    int computed = batch.computeCrc();
    if (computed != batch.crc()) {
      return Rejections.checksum(partition, batch.crc(), computed);
    }
    if (CompressionType.ofId(batch.compressionId()).isEmpty()) {
      return Rejections.of(
          RejectReason.UNSUPPORTED_COMPRESSION_TYPE,
          partition,
          "codec number is %d; expected 0 to 4".formatted(batch.compressionId()));
    }
    Rejected counts = checkCounts(partition, batch);
    return counts == null && client ? checkClientHeader(partition, batch) : counts;
  }

  private static @Nullable Rejected checkCounts(TopicPartition partition, RecordBatch batch) {
    int count = batch.recordCount();
    if (count <= 0 || batch.lastOffsetDelta() != count - 1) {
      return Rejections.invalid(
          partition,
          "batch has %d records and last offset delta %d; expected 1 or more, and one less"
              .formatted(count, batch.lastOffsetDelta()));
    }
    return null;
  }

  private static @Nullable Rejected checkClientHeader(TopicPartition partition, RecordBatch batch) {
    if (batch.isControl()) {
      return Rejections.invalid(partition, "clients must not send control batches");
    }
    if (batch.isLogAppendTime()) {
      return Rejections.of(
          RejectReason.INVALID_TIMESTAMP,
          partition,
          "timestamp type is LogAppendTime; expected CreateTime from a client");
    }
    if (batch.hasDeleteHorizon()) {
      return Rejections.invalid(partition, "clients must not set a delete horizon");
    }
    if (batch.hasProducerId() && (batch.producerEpoch() < 0 || batch.baseSequence() < 0)) {
      return Rejections.invalid(
          partition,
          "producer %d has epoch %d and base sequence %d; expected 0 or more"
              .formatted(batch.producerId(), batch.producerEpoch(), batch.baseSequence()));
    }
    if (batch.isTransactional() && !batch.hasProducerId()) {
      return Rejections.invalid(partition, "transactional batch has no producer id");
    }
    return null;
  }

  private static ValidatedBatch stamp(
      RecordBatch view, ByteBuffer buffer, RecordScan scan, LogConfig config, long nowMs) {
    if (config.logAppendTime()) {
      // The log stamps the time when it gives the offsets, so that both rise together.
      return new ValidatedBatch(buffer, scan.recordCount(), nowMs, 0);
    }
    if (view.maxTimestamp() != scan.maxTimestampMs()) {
      view.maxTimestamp(false, scan.maxTimestampMs());
    }
    return new ValidatedBatch(
        buffer, scan.recordCount(), scan.maxTimestampMs(), scan.maxTimestampOffsetDelta());
  }

  private ValidationOutcome recompress(
      TopicPartition partition, RecordBatch view, ValidatedBatch sound, LogConfig config) {
    Optional<CompressionType> wanted = config.compressionType();
    if (wanted.isEmpty() || wanted.get().id() == view.compressionId()) {
      return new ValidationOutcome.Valid(sound);
    }
    ByteBuffer batch;
    try {
      batch = recompression.apply(view, wanted.get());
    } catch (DecompressionException e) {
      return new ValidationOutcome.Invalid(
          Rejections.invalid(partition, String.valueOf(e.getMessage())));
    } catch (IOException e) {
      throw new UncheckedIOException("compressing in memory failed", e);
    }
    if (batch.remaining() > config.maxMessageBytes()) {
      return new ValidationOutcome.Invalid(
          tooLarge(
              partition,
              batch.remaining(),
              config,
              " once it is stored as " + wanted.get().configName()));
    }
    return new ValidationOutcome.Valid(
        new ValidatedBatch(
            batch, sound.recordCount(), sound.maxTimestampMs(), sound.maxTimestampOffsetDelta()));
  }

  private static Rejected tooLarge(
      TopicPartition partition, int size, LogConfig config, String when) {
    return Rejections.of(
        RejectReason.MESSAGE_TOO_LARGE,
        partition,
        "batch has %d bytes%s; max.message.bytes is %d"
            .formatted(size, when, config.maxMessageBytes()));
  }
}
