package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetCommitRequest;
import io.weirmq.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import io.weirmq.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import io.weirmq.protocol.message.OffsetCommitResponse;
import io.weirmq.protocol.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import io.weirmq.protocol.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.TopicCatalog;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OffsetCommitCommand;
import io.weirmq.server.internal.group.message.PartitionErrors;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Stores offsets of groups. Safe for use by several threads.
 *
 * <p>Answers for exactly the partitions of the request, in its order: some clients insist on that.
 */
public final class OffsetCommitHandler
    implements ApiHandler<OffsetCommitRequest, OffsetCommitResponse> {

  private static final short FIRST_WITH_GROUP_ID_NOT_FOUND = 9;
  private static final short FIRST_WITH_TOPIC_IDS = 10;

  private final GroupCoordinator coordinator;
  private final TopicCatalog topics;

  public OffsetCommitHandler(GroupCoordinator coordinator, TopicCatalog topics) {
    this.coordinator = coordinator;
    this.topics = topics;
  }

  @Override
  public CompletionStage<@Nullable OffsetCommitResponse> handle(
      RequestContext context, OffsetCommitRequest request) {
    OffsetCommitResponse response = new OffsetCommitResponse();
    List<Open> open = new ArrayList<>();
    List<OffsetCommitCommand.Offset> offsets = new ArrayList<>();
    for (OffsetCommitRequestTopic topic : request.topics()) {
      boolean isById = context.apiVersion() >= FIRST_WITH_TOPIC_IDS;
      String name = isById ? topics.topicName(topic.topicId()) : topic.name();
      OffsetCommitResponseTopic answers =
          new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
      response.topics().add(answers);
      int partitionCount = name == null ? 0 : topics.partitionCount(name);
      for (OffsetCommitRequestPartition asked : topic.partitions()) {
        OffsetCommitResponsePartition answer =
            new OffsetCommitResponsePartition().setPartitionIndex(asked.partitionIndex());
        answers.partitions().add(answer);
        if (name == null) {
          answer.setErrorCode(ErrorCode.UNKNOWN_TOPIC_ID.code());
        } else if (asked.partitionIndex() < 0 || asked.partitionIndex() >= partitionCount) {
          answer.setErrorCode(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else {
          TopicPartition partition = new TopicPartition(name, asked.partitionIndex());
          open.add(new Open(answer, partition));
          offsets.add(offset(partition, asked));
        }
      }
    }
    if (offsets.isEmpty()) {
      return CompletableFuture.completedFuture(response);
    }
    return coordinator
        .commit(command(context, request, offsets))
        .thenApply(errors -> close(response, open, errors));
  }

  /** A place in the response whose error the coordinator will tell. */
  private record Open(OffsetCommitResponsePartition answer, TopicPartition partition) {}

  private static OffsetCommitCommand.Offset offset(
      TopicPartition partition, OffsetCommitRequestPartition asked) {
    String metadata = asked.committedMetadata();
    return new OffsetCommitCommand.Offset(
        partition,
        asked.committedOffset(),
        asked.committedLeaderEpoch(),
        metadata == null ? "" : metadata);
  }

  private static OffsetCommitCommand command(
      RequestContext context,
      OffsetCommitRequest request,
      List<OffsetCommitCommand.Offset> offsets) {
    return new OffsetCommitCommand(
        request.groupId(),
        new MemberIdentity(request.memberId(), request.groupInstanceId()),
        request.generationIdOrMemberEpoch(),
        request.retentionTimeMs(),
        context.apiVersion() >= FIRST_WITH_GROUP_ID_NOT_FOUND
            ? ErrorCode.GROUP_ID_NOT_FOUND
            : ErrorCode.ILLEGAL_GENERATION,
        offsets);
  }

  private static OffsetCommitResponse close(
      OffsetCommitResponse response, List<Open> open, PartitionErrors errors) {
    open.forEach(place -> place.answer().setErrorCode(errors.of(place.partition()).code()));
    return response;
  }
}
