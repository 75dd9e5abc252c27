package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeProducersRequest;
import io.weirmq.protocol.message.DescribeProducersRequest.TopicRequest;
import io.weirmq.protocol.message.DescribeProducersResponse;
import io.weirmq.protocol.message.DescribeProducersResponse.PartitionResponse;
import io.weirmq.protocol.message.DescribeProducersResponse.ProducerState;
import io.weirmq.protocol.message.DescribeProducersResponse.TopicResponse;
import io.weirmq.replication.Partition;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.ProducerSummary;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Tells the idempotent producers that partitions remember. Safe for use by several threads. */
public final class DescribeProducersHandler
    implements ApiHandler<DescribeProducersRequest, DescribeProducersResponse> {

  private final PartitionLookup lookup;

  public DescribeProducersHandler(PartitionLookup lookup) {
    this.lookup = lookup;
  }

  @Override
  public CompletionStage<@Nullable DescribeProducersResponse> handle(
      RequestContext context, DescribeProducersRequest request) {
    DescribeProducersResponse response = new DescribeProducersResponse();
    for (TopicRequest topic : request.topics()) {
      TopicResponse answers = new TopicResponse().setName(topic.name());
      for (int number : topic.partitionIndexes()) {
        answers.partitions().add(describe(topic.name(), number));
      }
      response.topics().add(answers);
    }
    return CompletableFuture.completedFuture(response);
  }

  private PartitionResponse describe(String topic, int number) {
    Optional<Partition> partition = lookup.find(topic, number);
    if (partition.isEmpty()) {
      return failed(number, lookup.whyAbsent(topic, number));
    }
    if (!partition.get().isLeader()) {
      return failed(number, ErrorCode.NOT_LEADER_OR_FOLLOWER);
    }
    PartitionResponse response = new PartitionResponse().setPartitionIndex(number);
    for (ProducerSummary producer : partition.get().log().producers()) {
      response.activeProducers().add(describe(producer));
    }
    return response;
  }

  private static ProducerState describe(ProducerSummary producer) {
    return new ProducerState()
        .setProducerId(producer.producerId())
        .setProducerEpoch(producer.producerEpoch())
        .setLastSequence(producer.lastSequence())
        .setLastTimestamp(producer.lastTimestampMs())
        .setCoordinatorEpoch(producer.coordinatorEpoch())
        .setCurrentTxnStartOffset(producer.currentTransactionFirstOffset());
  }

  private static PartitionResponse failed(int number, ErrorCode error) {
    return new PartitionResponse()
        .setPartitionIndex(number)
        .setErrorCode(error.code())
        .setErrorMessage(error.text());
  }
}
