package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.DirectReadResponse.AbortedTransaction;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.EpochChecks;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.SegmentFile;
import io.weirmq.storage.StorageException;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** Finds the file ranges of direct reads. Safe for use by several threads. */
final class DirectReader {

  private static final UUID NO_TOPIC_ID = new UUID(0, 0);
  private static final byte READ_COMMITTED = 1;

  private final PartitionLookup lookup;
  private final ReadFailures failures;
  private final PublishedOffsets offsets;

  DirectReader(PartitionLookup lookup, ReadFailures failures, PublishedOffsets offsets) {
    this.lookup = lookup;
    this.failures = failures;
    this.offsets = offsets;
  }

  /** Returns the partition that a request names; empty where this broker does not hold it. */
  Optional<Partition> find(DirectReadRequest request) {
    return request.topicId().equals(NO_TOPIC_ID)
        ? lookup.find(request.topic(), request.partition())
        : lookup.find(request.topicId(), request.partition());
  }

  /** Returns the offset below which the client may read. */
  static long visibleEnd(PartitionLog log, DirectReadRequest request) {
    return isReadCommitted(request) ? log.lastStableOffset() : log.highWatermark();
  }

  /** Whether there is nothing to tell yet: no error, and no record at or behind the offset. */
  static boolean isEmpty(DirectReadResponse response) {
    return response.errorCode() == ErrorCode.NONE.code() && response.lengthBytes() == 0;
  }

  /** Reads where the records lie; never throws. */
  DirectReadResponse read(DirectReadRequest request) {
    Optional<Partition> partition = find(request);
    if (partition.isEmpty()) {
      return failed(
          request.topicId().equals(NO_TOPIC_ID)
              ? lookup.whyAbsent(request.topic(), request.partition())
              : lookup.whyAbsent(request.topicId(), request.partition()),
          null);
    }
    ErrorCode error = EpochChecks.check(partition.get(), request.currentLeaderEpoch());
    if (error != ErrorCode.NONE) {
      return failed(error, null).setLeaderEpoch(partition.get().leaderEpoch());
    }
    try {
      return read(partition.get(), request);
    } catch (OffsetOutOfRangeException e) {
      return outOfRange(partition.get().log());
    } catch (CorruptSegmentException e) {
      return failed(ErrorCode.CORRUPT_MESSAGE, e.getMessage());
    } catch (IOException e) {
      failures.note(partition.get(), "offset " + request.fetchOffset(), e);
      return failed(ErrorCode.KAFKA_STORAGE_ERROR, e.getMessage());
    }
  }

  private DirectReadResponse read(Partition partition, DirectReadRequest request)
      throws StorageException {
    PartitionLog log = partition.log();
    long offset = request.fetchOffset();
    // The visible end is read before the records are, so that no more is granted than was there.
    long highWatermark = log.highWatermark();
    long lastStableOffset = log.lastStableOffset();
    long visibleEnd = isReadCommitted(request) ? lastStableOffset : highWatermark;
    if (offset < log.logStartOffset() || offset > log.logEndOffset()) {
      return outOfRange(log);
    }
    DirectReadResponse response =
        new DirectReadResponse()
            .setTopicId(partition.topicId())
            .setLeaderEpoch(partition.leaderEpoch())
            .setHighWatermark(highWatermark)
            .setLastStableOffset(lastStableOffset)
            .setLogStartOffset(log.logStartOffset());
    offsets.describe(partition, response);
    if (offset < visibleEnd) {
      grant(response, log, request, visibleEnd);
    }
    return response;
  }

  private static void grant(
      DirectReadResponse response, PartitionLog log, DirectReadRequest request, long visibleEnd)
      throws StorageException {
    int maxBytes = Math.max(0, Math.min(request.maxBytes(), DirectReadHandler.GRANT_BYTES_MAX));
    LogSlice slice = log.read(request.fetchOffset(), maxBytes, visibleEnd, true);
    try {
      if (slice.lengthBytes() == 0) {
        return;
      }
      Optional<SegmentFile> file = slice.file();
      if (file.isEmpty()) {
        response
            .setErrorCode(ErrorCode.UNSUPPORTED_VERSION.code())
            .setErrorMessage("the file system of the log has no file numbers");
        return;
      }
      response
          .setSegmentPath(file.get().path().toAbsolutePath().toString())
          .setSegmentInode(file.get().inode())
          .setPosition(slice.position())
          .setLengthBytes(slice.lengthBytes());
    } finally {
      slice.release();
    }
    if (isReadCommitted(request)) {
      for (var aborted : log.abortedTransactions(request.fetchOffset(), visibleEnd)) {
        response
            .abortedTransactions()
            .add(
                new AbortedTransaction()
                    .setProducerId(aborted.producerId())
                    .setFirstOffset(aborted.firstOffset()));
      }
    }
  }

  private static DirectReadResponse outOfRange(PartitionLog log) {
    return failed(ErrorCode.OFFSET_OUT_OF_RANGE, null)
        .setHighWatermark(log.highWatermark())
        .setLastStableOffset(log.lastStableOffset())
        .setLogStartOffset(log.logStartOffset());
  }

  private static DirectReadResponse failed(
      ErrorCode error, @org.jspecify.annotations.Nullable String message) {
    return new DirectReadResponse().setErrorCode(error.code()).setErrorMessage(message);
  }

  private static boolean isReadCommitted(DirectReadRequest request) {
    return request.isolationLevel() == READ_COMMITTED;
  }
}
