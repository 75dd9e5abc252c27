package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.RecordsData;
import io.weirmq.protocol.message.FetchResponse.AbortedTransaction;
import io.weirmq.protocol.message.FetchResponse.EpochEndOffset;
import io.weirmq.protocol.message.FetchResponse.PartitionData;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.EpochChecks;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.storage.CompressionType;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.transport.FileSlice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads single partitions for a fetch. Safe for use by several threads. */
final class PartitionReader {

  private static final Set<ErrorCode> IS_OF_POSITION =
      Set.of(
          ErrorCode.OFFSET_OUT_OF_RANGE,
          ErrorCode.FENCED_LEADER_EPOCH,
          ErrorCode.UNKNOWN_LEADER_EPOCH);

  private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);

  /** Base offset and length: what stands before the bytes that a batch's length counts. */
  private static final int BATCH_OVERHEAD_BYTES = Long.BYTES + Integer.BYTES;

  private final PartitionLookup lookup;
  private final ReadFailures failures;

  PartitionReader(PartitionLookup lookup, ReadFailures failures) {
    this.lookup = lookup;
    this.failures = failures;
  }

  /** Returns the partition that a fetch names; empty where this broker does not hold it. */
  Optional<Partition> find(FetchTarget target, FetchRules rules) {
    return rules.byTopicId()
        ? lookup.find(target.topicId(), target.partition())
        : lookup.find(target.topic(), target.partition());
  }

  /** Returns the offset below which a client may read. */
  static long visibleEnd(PartitionLog log, FetchRules rules) {
    return rules.readCommitted() ? log.lastStableOffset() : log.highWatermark();
  }

  /**
   * Reads a partition.
   *
   * @param maxBytes upper bound of the records in bytes
   * @param atLeastOneBatch whether the first batch is returned whole also where it exceeds the
   *     bound
   * @return the result; its records are file slices that the caller releases or sends
   */
  PartitionData read(
      FetchPartition wanted, FetchRules rules, int maxBytes, boolean atLeastOneBatch) {
    FetchTarget target = wanted.target();
    Optional<Partition> partition = find(target, rules);
    if (partition.isEmpty()) {
      return failed(target, rules, whyAbsent(target, rules));
    }
    ErrorCode error = EpochChecks.check(partition.get(), wanted.currentLeaderEpoch());
    if (error != ErrorCode.NONE) {
      return failed(target, rules, error);
    }
    try {
      return read(partition.get(), wanted, rules, maxBytes, atLeastOneBatch);
    } catch (OffsetOutOfRangeException e) {
      return failed(target, rules, ErrorCode.OFFSET_OUT_OF_RANGE);
    } catch (CorruptSegmentException e) {
      // Told by the storage, once, when it was found.
      LOG.debug("{} is damaged at offset {}", partition.get(), wanted.fetchOffset(), e);
      return failed(target, rules, ErrorCode.CORRUPT_MESSAGE);
    } catch (IOException e) {
      failures.note(partition.get(), "offset " + wanted.fetchOffset(), e);
      return failed(target, rules, ErrorCode.KAFKA_STORAGE_ERROR);
    }
  }

  /**
   * Returns how many bytes a read would give now, without the bound of the whole fetch; anything
   * but a plain result counts as plenty, so that the fetch ends and tells the client.
   */
  long availableBytes(FetchPartition wanted, FetchRules rules) {
    PartitionData result = read(wanted, rules, wanted.maxBytes(), true);
    if (result.errorCode() != ErrorCode.NONE.code() || result.hasDivergingEpoch()) {
      return Long.MAX_VALUE;
    }
    long available = FetchResults.recordBytes(result);
    FetchResults.release(result);
    return available;
  }

  private PartitionData read(
      Partition partition,
      FetchPartition wanted,
      FetchRules rules,
      int maxBytes,
      boolean atLeastOneBatch)
      throws IOException {
    PartitionLog log = partition.log();
    FetchTarget target = wanted.target();
    long offset = wanted.fetchOffset();
    long logStartOffset = log.logStartOffset();
    // The visible end is read before the records are, so that what is promised is never more than
    // what was there.
    long highWatermark = log.highWatermark();
    long lastStableOffset = log.lastStableOffset();
    long visibleEnd = rules.readCommitted() ? lastStableOffset : highWatermark;
    if (offset < logStartOffset || offset > log.logEndOffset()) {
      return failed(target, rules, ErrorCode.OFFSET_OUT_OF_RANGE);
    }
    PartitionData result =
        new PartitionData()
            .setPartitionIndex(target.partition())
            .setHighWatermark(highWatermark)
            .setLastStableOffset(lastStableOffset)
            .setLogStartOffset(logStartOffset)
            .setRecords(RecordsData.empty());
    result.setAbortedTransactions(rules.readCommitted() ? List.of() : null);
    EpochEndOffset divergence = divergence(partition, wanted);
    if (divergence != null) {
      return result.setDivergingEpoch(divergence);
    }
    if (offset >= visibleEnd || (maxBytes <= 0 && !atLeastOneBatch)) {
      return result;
    }
    LogSlice slice = log.read(offset, Math.max(0, maxBytes), visibleEnd, atLeastOneBatch);
    return withRecords(result, log, slice, offset, visibleEnd, rules, maxBytes, atLeastOneBatch);
  }

  private static PartitionData withRecords(
      PartitionData result,
      PartitionLog log,
      LogSlice slice,
      long offset,
      long visibleEnd,
      FetchRules rules,
      int maxBytes,
      boolean atLeastOneBatch)
      throws IOException {
    boolean taken = false;
    try {
      if (slice.lengthBytes() == 0) {
        return result;
      }
      boolean mayBeCut = slice.lengthBytes() >= maxBytes && !atLeastOneBatch;
      if (mayBeCut && !holdsFirstBatch(slice)) {
        return result; // a client that gets a part of a batch and nothing else gives up
      }
      if (!rules.knowsZstd() && isZstd(log)) {
        return failed(
            new FetchTarget(log.topicId(), log.topicPartition().topic(), result.partitionIndex()),
            rules,
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
      }
      if (rules.readCommitted()) {
        result.setAbortedTransactions(aborted(log, offset, visibleEnd));
      }
      taken = true;
      return result.setRecords(
          RecordsData.of(
              new FileSlice(
                  slice.channel(), slice.position(), slice.lengthBytes(), slice::release)));
    } finally {
      if (!taken) {
        slice.release();
      }
    }
  }

  /** Whether the client's last record is of an epoch that this log has ended differently. */
  private static @Nullable EpochEndOffset divergence(Partition partition, FetchPartition wanted)
      throws OffsetOutOfRangeException {
    if (wanted.lastFetchedEpoch() < 0) {
      return null;
    }
    io.weirmq.storage.EpochEndOffset end = partition.endOffsetOfEpoch(wanted.lastFetchedEpoch());
    if (end.endOffset() < 0) {
      PartitionLog log = partition.log();
      throw new OffsetOutOfRangeException(
          log.topicPartition(), wanted.fetchOffset(), log.logStartOffset(), log.logEndOffset());
    }
    return end.epoch() < wanted.lastFetchedEpoch() || end.endOffset() < wanted.fetchOffset()
        ? new EpochEndOffset().setEpoch(end.epoch()).setEndOffset(end.endOffset())
        : null;
  }

  private static List<AbortedTransaction> aborted(PartitionLog log, long fromOffset, long toOffset)
      throws StorageException {
    return log.abortedTransactions(fromOffset, toOffset).stream()
        .map(
            entry ->
                new AbortedTransaction()
                    .setProducerId(entry.producerId())
                    .setFirstOffset(entry.firstOffset()))
        .toList();
  }

  private static boolean holdsFirstBatch(LogSlice slice) throws IOException {
    if (slice.lengthBytes() < BATCH_OVERHEAD_BYTES) {
      return false;
    }
    long batchBytes = (long) BATCH_OVERHEAD_BYTES + headerField(slice, Long.BYTES).getInt(0);
    return batchBytes <= slice.lengthBytes();
  }

  /**
   * Whether the topic asks for zstd, which old clients don't know. Where the producer chose the
   * codec this is not looked at, as in Kafka: some clients know zstd and fetch in old versions.
   */
  private static boolean isZstd(PartitionLog log) {
    return log.config().compressionType().equals(Optional.of(CompressionType.ZSTD));
  }

  private static ByteBuffer headerField(LogSlice slice, int offset) throws IOException {
    ByteBuffer field = ByteBuffer.allocate(Integer.BYTES);
    FileChannel channel = slice.channel();
    while (field.hasRemaining()) {
      int position = field.position();
      if (channel.read(field, slice.position() + offset + position) < 0) {
        throw new StorageException(
            "the file ends at %d, inside the header of a batch at %d"
                .formatted(slice.position() + offset + position, slice.position()));
      }
    }
    return field;
  }

  private ErrorCode whyAbsent(FetchTarget target, FetchRules rules) {
    return rules.byTopicId()
        ? lookup.whyAbsent(target.topicId(), target.partition())
        : lookup.whyAbsent(target.topic(), target.partition());
  }

  private static PartitionData failed(FetchTarget target, FetchRules rules, ErrorCode error) {
    ErrorCode told =
        error == ErrorCode.KAFKA_STORAGE_ERROR && !rules.knowsStorageError()
            ? ErrorCode.NOT_LEADER_OR_FOLLOWER
            : error;
    PartitionData result =
        new PartitionData()
            .setPartitionIndex(target.partition())
            .setErrorCode(told.code())
            .setHighWatermark(-1)
            .setRecords(RecordsData.empty());
    // As Kafka has it: no list where the partition is there and only the position is wrong.
    return IS_OF_POSITION.contains(error) ? result.setAbortedTransactions(null) : result;
  }
}
