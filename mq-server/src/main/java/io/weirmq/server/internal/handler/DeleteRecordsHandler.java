package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DeleteRecordsRequest;
import io.weirmq.protocol.message.DeleteRecordsRequest.DeleteRecordsPartition;
import io.weirmq.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import io.weirmq.protocol.message.DeleteRecordsResponse;
import io.weirmq.protocol.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import io.weirmq.protocol.message.DeleteRecordsResponse.DeleteRecordsTopicResult;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.admin.TopicNames;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.OffsetOutOfRangeException;
import io.weirmq.storage.RejectedAppendException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes records from the front of partitions. Safe for use by several threads. */
public final class DeleteRecordsHandler
    implements ApiHandler<DeleteRecordsRequest, DeleteRecordsResponse> {

  private static final Logger LOG = LoggerFactory.getLogger(DeleteRecordsHandler.class);

  private static final long HIGH_WATERMARK = -1;
  private static final long NO_LOW_WATERMARK = -1;

  private final PartitionLookup lookup;

  public DeleteRecordsHandler(PartitionLookup lookup) {
    this.lookup = lookup;
  }

  @Override
  public CompletionStage<@Nullable DeleteRecordsResponse> handle(
      RequestContext context, DeleteRecordsRequest request) {
    List<CompletableFuture<DeleteRecordsTopicResult>> topics =
        request.topics().stream().map(this::delete).toList();
    return Stages.all(topics).thenApply(results -> new DeleteRecordsResponse().setTopics(results));
  }

  private CompletableFuture<DeleteRecordsTopicResult> delete(DeleteRecordsTopic topic) {
    List<CompletableFuture<DeleteRecordsPartitionResult>> partitions =
        topic.partitions().stream().map(partition -> delete(topic.name(), partition)).toList();
    return Stages.all(partitions)
        .thenApply(
            results -> new DeleteRecordsTopicResult().setName(topic.name()).setPartitions(results));
  }

  private CompletableFuture<DeleteRecordsPartitionResult> delete(
      String topic, DeleteRecordsPartition asked) {
    int number = asked.partitionIndex();
    Optional<Partition> found = lookup.find(topic, number);
    if (found.isEmpty()) {
      return done(number, NO_LOW_WATERMARK, lookup.whyAbsent(topic, number));
    }
    Partition partition = found.get();
    ErrorCode refusal = refusal(partition, asked.offset());
    if (refusal != ErrorCode.NONE) {
      return done(number, NO_LOW_WATERMARK, refusal);
    }
    return partition
        .deleteRecordsBefore(asked.offset())
        .handle(
            (lowWatermark, failure) ->
                failure == null
                    ? result(number, lowWatermark, ErrorCode.NONE)
                    : result(number, NO_LOW_WATERMARK, code(partition, failure)));
  }

  private static ErrorCode refusal(Partition partition, long offset) {
    if (!partition.isLeader()) {
      return ErrorCode.NOT_LEADER_OR_FOLLOWER;
    }
    if (TopicNames.isInternal(partition.topicPartition().topic())) {
      return ErrorCode.INVALID_TOPIC_EXCEPTION;
    }
    if (!partition.log().config().delete()) {
      return ErrorCode.POLICY_VIOLATION;
    }
    return offset < HIGH_WATERMARK ? ErrorCode.OFFSET_OUT_OF_RANGE : ErrorCode.NONE;
  }

  private static ErrorCode code(Partition partition, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof OffsetOutOfRangeException) {
      return ErrorCode.OFFSET_OUT_OF_RANGE;
    }
    if (cause instanceof RejectedAppendException) {
      return partition.isClosed() ? ErrorCode.NOT_LEADER_OR_FOLLOWER : ErrorCode.REQUEST_TIMED_OUT;
    }
    LOG.error("records of {} not deleted", partition, cause);
    return ErrorCode.KAFKA_STORAGE_ERROR;
  }

  private static CompletableFuture<DeleteRecordsPartitionResult> done(
      int number, long lowWatermark, ErrorCode error) {
    return CompletableFuture.completedFuture(result(number, lowWatermark, error));
  }

  private static DeleteRecordsPartitionResult result(
      int number, long lowWatermark, ErrorCode error) {
    return new DeleteRecordsPartitionResult()
        .setPartitionIndex(number)
        .setLowWatermark(lowWatermark)
        .setErrorCode(error.code());
  }
}
