package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetDeleteRequest;
import io.weirmq.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import io.weirmq.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import io.weirmq.protocol.message.OffsetDeleteResponse;
import io.weirmq.protocol.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import io.weirmq.protocol.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.TopicCatalog;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Deletes offsets that no member of the group uses. Safe for use by several threads. */
public final class OffsetDeleteHandler
    implements ApiHandler<OffsetDeleteRequest, OffsetDeleteResponse> {

  private final GroupCoordinator coordinator;
  private final TopicCatalog topics;

  public OffsetDeleteHandler(GroupCoordinator coordinator, TopicCatalog topics) {
    this.coordinator = coordinator;
    this.topics = topics;
  }

  @Override
  public CompletionStage<@Nullable OffsetDeleteResponse> handle(
      RequestContext context, OffsetDeleteRequest request) {
    OffsetDeleteResponse response = new OffsetDeleteResponse();
    List<Open> open = new ArrayList<>();
    for (OffsetDeleteRequestTopic topic : request.topics()) {
      OffsetDeleteResponseTopic answers = new OffsetDeleteResponseTopic().setName(topic.name());
      response.topics().add(answers);
      int partitionCount = topics.partitionCount(topic.name());
      for (OffsetDeleteRequestPartition asked : topic.partitions()) {
        OffsetDeleteResponsePartition answer =
            new OffsetDeleteResponsePartition().setPartitionIndex(asked.partitionIndex());
        answers.partitions().add(answer);
        if (asked.partitionIndex() >= 0 && asked.partitionIndex() < partitionCount) {
          open.add(new Open(answer, new TopicPartition(topic.name(), asked.partitionIndex())));
        } else {
          answer.setErrorCode(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
      }
    }
    return coordinator
        .deleteOffsets(request.groupId(), open.stream().map(Open::partition).toList())
        .thenApply(errors -> close(response, open, errors));
  }

  /** A place in the response whose error the coordinator will tell. */
  private record Open(OffsetDeleteResponsePartition answer, TopicPartition partition) {}

  private static OffsetDeleteResponse close(
      OffsetDeleteResponse response, List<Open> open, PartitionErrors errors) {
    if (errors.error() != ErrorCode.NONE) {
      return new OffsetDeleteResponse().setErrorCode(errors.error().code());
    }
    open.forEach(place -> place.answer().setErrorCode(errors.of(place.partition()).code()));
    return response;
  }
}
