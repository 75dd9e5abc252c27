package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import io.weirmq.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import io.weirmq.protocol.message.OffsetForLeaderEpochResponse;
import io.weirmq.protocol.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import io.weirmq.protocol.message.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.EpochChecks;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells where leader epochs end, by which clients and followers find out that records they have
 * read are gone (KIP-320). Safe for use by several threads.
 */
public final class OffsetForLeaderEpochHandler
    implements ApiHandler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> {

  private final PartitionLookup lookup;

  public OffsetForLeaderEpochHandler(PartitionLookup lookup) {
    this.lookup = lookup;
  }

  @Override
  public CompletionStage<@Nullable OffsetForLeaderEpochResponse> handle(
      RequestContext context, OffsetForLeaderEpochRequest request) {
    OffsetForLeaderEpochResponse response = new OffsetForLeaderEpochResponse();
    for (OffsetForLeaderTopic topic : request.topics()) {
      OffsetForLeaderTopicResult result = new OffsetForLeaderTopicResult().setTopic(topic.topic());
      for (OffsetForLeaderPartition partition : topic.partitions()) {
        result.partitions().add(answer(topic.topic(), partition));
      }
      response.topics().add(result);
    }
    return CompletableFuture.completedFuture(response);
  }

  private EpochEndOffset answer(String topic, OffsetForLeaderPartition asked) {
    EpochEndOffset answer = new EpochEndOffset().setPartition(asked.partition());
    Optional<Partition> partition = lookup.find(topic, asked.partition());
    if (partition.isEmpty()) {
      return answer.setErrorCode(lookup.whyAbsent(topic, asked.partition()).code());
    }
    ErrorCode error = EpochChecks.check(partition.get(), asked.currentLeaderEpoch());
    if (error != ErrorCode.NONE) {
      return answer.setErrorCode(error.code());
    }
    io.weirmq.storage.EpochEndOffset end = partition.get().endOffsetOfEpoch(asked.leaderEpoch());
    return answer.setLeaderEpoch(end.epoch()).setEndOffset(end.endOffset());
  }
}
