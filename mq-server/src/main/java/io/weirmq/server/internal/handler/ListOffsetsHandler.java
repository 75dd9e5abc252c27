package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.ListOffsetsRequest;
import io.weirmq.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import io.weirmq.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import io.weirmq.protocol.message.ListOffsetsResponse;
import io.weirmq.protocol.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import io.weirmq.protocol.message.ListOffsetsResponse.ListOffsetsTopicResponse;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.EpochChecks;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.partition.ReadFailures;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TimestampedOffset;
import io.weirmq.storage.TopicPartition;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells offsets by time and by the special times that stand for places in the log. Safe for use by
 * several threads.
 */
public final class ListOffsetsHandler
    implements ApiHandler<ListOffsetsRequest, ListOffsetsResponse> {

  private static final byte READ_COMMITTED = 1;
  private static final long NOT_FOUND = -1;
  private static final int UNKNOWN_EPOCH = -1;
  private static final short FIRST_VERSION_WITH_EPOCH = 4;

  private static final long LATEST = -1;
  private static final long EARLIEST = -2;
  private static final long MAX_TIMESTAMP = -3;
  private static final long EARLIEST_LOCAL = -4;
  private static final long LAST_TIERED = -5;
  private static final long EARLIEST_PENDING_UPLOAD = -6;

  private final PartitionLookup lookup;
  private final ReadFailures failures;

  public ListOffsetsHandler(PartitionLookup lookup, ReadFailures failures) {
    this.lookup = lookup;
    this.failures = failures;
  }

  @Override
  public CompletionStage<@Nullable ListOffsetsResponse> handle(
      RequestContext context, ListOffsetsRequest request) {
    Set<TopicPartition> named = new HashSet<>();
    Set<TopicPartition> twice = new HashSet<>();
    for (ListOffsetsTopic topic : request.topics()) {
      for (ListOffsetsPartition partition : topic.partitions()) {
        if (partition.partitionIndex() >= 0) {
          TopicPartition name = new TopicPartition(topic.name(), partition.partitionIndex());
          if (!named.add(name)) {
            twice.add(name);
          }
        }
      }
    }
    boolean readCommitted = request.isolationLevel() == READ_COMMITTED;
    ListOffsetsResponse response = new ListOffsetsResponse();
    for (ListOffsetsTopic topic : request.topics()) {
      ListOffsetsTopicResponse answers = new ListOffsetsTopicResponse().setName(topic.name());
      for (ListOffsetsPartition partition : topic.partitions()) {
        boolean ambiguous =
            partition.partitionIndex() >= 0
                && twice.contains(new TopicPartition(topic.name(), partition.partitionIndex()));
        answers
            .partitions()
            .add(
                ambiguous
                    ? failed(partition, ErrorCode.INVALID_REQUEST)
                    : answer(context.apiVersion(), readCommitted, topic.name(), partition));
      }
      response.topics().add(answers);
    }
    return CompletableFuture.completedFuture(response);
  }

  private ListOffsetsPartitionResponse answer(
      short version, boolean readCommitted, String topic, ListOffsetsPartition asked) {
    if (version < firstVersionOf(asked.timestamp())) {
      return failed(asked, ErrorCode.UNSUPPORTED_VERSION);
    }
    Optional<Partition> partition = lookup.find(topic, asked.partitionIndex());
    if (partition.isEmpty()) {
      return failed(asked, lookup.whyAbsent(topic, asked.partitionIndex()));
    }
    ErrorCode error = EpochChecks.check(partition.get(), asked.currentLeaderEpoch());
    if (error != ErrorCode.NONE) {
      return failed(asked, error);
    }
    try {
      ListOffsetsPartitionResponse answer = answer(partition.get(), readCommitted, asked);
      return version < FIRST_VERSION_WITH_EPOCH ? answer.setLeaderEpoch(UNKNOWN_EPOCH) : answer;
    } catch (StorageException e) {
      failures.note(partition.get(), "time " + asked.timestamp(), e);
      return failed(asked, ErrorCode.KAFKA_STORAGE_ERROR);
    }
  }

  private static ListOffsetsPartitionResponse answer(
      Partition partition, boolean readCommitted, ListOffsetsPartition asked)
      throws StorageException {
    PartitionLog log = partition.log();
    long visibleEnd = readCommitted ? log.lastStableOffset() : log.highWatermark();
    long timestamp = asked.timestamp();
    if (timestamp == LATEST) {
      return found(asked, visibleEnd, NOT_FOUND, partition.leaderEpoch());
    } else if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
      long start = log.logStartOffset();
      // With nothing to read yet, the epoch is the one that the next record will have.
      boolean isEmpty = start == log.logEndOffset();
      return found(
          asked, start, NOT_FOUND, isEmpty ? partition.leaderEpoch() : log.epochOfOffset(start));
    } else if (timestamp == MAX_TIMESTAMP) {
      return found(asked, log.findMaxTimestamp());
    } else if (timestamp == LAST_TIERED || timestamp == EARLIEST_PENDING_UPLOAD) {
      return found(asked, NOT_FOUND, NOT_FOUND, UNKNOWN_EPOCH);
    }
    return found(asked, log.findByTimestamp(timestamp, visibleEnd));
  }

  /** Returns the version that brought a timestamp's meaning; no version has unknown ones. */
  private static short firstVersionOf(long timestamp) {
    if (timestamp >= EARLIEST) {
      return 1;
    } else if (timestamp == MAX_TIMESTAMP) {
      return 7;
    } else if (timestamp == EARLIEST_LOCAL) {
      return 8;
    } else if (timestamp == LAST_TIERED) {
      return 9;
    } else if (timestamp == EARLIEST_PENDING_UPLOAD) {
      return 11;
    }
    return Short.MAX_VALUE;
  }

  private static ListOffsetsPartitionResponse found(
      ListOffsetsPartition asked, Optional<TimestampedOffset> record) {
    return record.isEmpty()
        ? found(asked, NOT_FOUND, NOT_FOUND, UNKNOWN_EPOCH)
        : found(
            asked, record.get().offset(), record.get().timestampMs(), record.get().leaderEpoch());
  }

  private static ListOffsetsPartitionResponse found(
      ListOffsetsPartition asked, long offset, long timestampMs, int leaderEpoch) {
    return new ListOffsetsPartitionResponse()
        .setPartitionIndex(asked.partitionIndex())
        .setOffset(offset)
        .setTimestamp(timestampMs)
        .setLeaderEpoch(leaderEpoch);
  }

  private static ListOffsetsPartitionResponse failed(ListOffsetsPartition asked, ErrorCode error) {
    return new ListOffsetsPartitionResponse()
        .setPartitionIndex(asked.partitionIndex())
        .setErrorCode(error.code());
  }
}
