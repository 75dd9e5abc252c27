package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.OffsetFetchRequest;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import io.weirmq.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import io.weirmq.protocol.message.OffsetFetchResponse;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartition;
import io.weirmq.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopic;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.TopicCatalog;
import io.weirmq.server.internal.group.message.FetchedOffset;
import io.weirmq.server.internal.group.message.OffsetFetchResult;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reads committed offsets. Safe for use by several threads.
 *
 * <p>Up to version 7 a request is about one group, from version 8 on about several (see {@link
 * OffsetFetchGroup}). A null list of topics asks for all. Offsets are stable always, as none is
 * committed in a transaction here, so {@code requireStable} changes nothing.
 */
public final class OffsetFetchHandler
    implements ApiHandler<OffsetFetchRequest, OffsetFetchResponse> {

  private static final short FIRST_WITH_TOP_LEVEL_ERROR = 2;
  private static final short FIRST_WITH_GROUPS = 8;
  private static final short FIRST_WITH_TOPIC_IDS = 10;

  private final GroupCoordinator coordinator;
  private final TopicCatalog topics;

  public OffsetFetchHandler(GroupCoordinator coordinator, TopicCatalog topics) {
    this.coordinator = coordinator;
    this.topics = topics;
  }

  @Override
  public CompletionStage<@Nullable OffsetFetchResponse> handle(
      RequestContext context, OffsetFetchRequest request) {
    return context.apiVersion() < FIRST_WITH_GROUPS
        ? fetchOne(context.apiVersion(), request)
        : fetchMany(context.apiVersion() >= FIRST_WITH_TOPIC_IDS, request);
  }

  // ---- one group ---------------------------------------------------------------------------

  private CompletionStage<@Nullable OffsetFetchResponse> fetchOne(
      short version, OffsetFetchRequest request) {
    List<OffsetFetchRequestTopic> asked = request.topics();
    return coordinator
        .fetch(request.groupId(), asked == null ? null : partitions(asked))
        .thenApply(result -> response(version, asked, result));
  }

  private static List<TopicPartition> partitions(List<OffsetFetchRequestTopic> asked) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (OffsetFetchRequestTopic topic : asked) {
      for (int partition : topic.partitionIndexes()) {
        if (partition >= 0) {
          partitions.add(new TopicPartition(topic.name(), partition));
        }
      }
    }
    return partitions;
  }

  private static OffsetFetchResponse response(
      short version, @Nullable List<OffsetFetchRequestTopic> asked, OffsetFetchResult result) {
    OffsetFetchResponse response = new OffsetFetchResponse();
    boolean isRefused = result.error() != ErrorCode.NONE;
    if (isRefused && version >= FIRST_WITH_TOP_LEVEL_ERROR) {
      return response.setErrorCode(result.error().code());
    }
    if (asked == null) {
      addAll(response, result);
      return response;
    }
    FetchedOffsets fetched = new FetchedOffsets(result);
    for (OffsetFetchRequestTopic topic : asked) {
      OffsetFetchResponseTopic answers = new OffsetFetchResponseTopic().setName(topic.name());
      response.topics().add(answers);
      for (int partition : topic.partitionIndexes()) {
        answers.partitions().add(answer(partition, fetched.of(topic.name(), partition)));
      }
    }
    return response;
  }

  private static void addAll(OffsetFetchResponse response, OffsetFetchResult result) {
    OffsetFetchResponseTopic answers = null;
    for (FetchedOffset offset : result.offsets()) {
      String name = offset.partition().topic();
      if (answers == null || !answers.name().equals(name)) {
        answers = new OffsetFetchResponseTopic().setName(name);
        response.topics().add(answers);
      }
      answers.partitions().add(answer(offset.partition().partition(), offset));
    }
  }

  private static OffsetFetchResponsePartition answer(int partition, FetchedOffset offset) {
    return new OffsetFetchResponsePartition()
        .setPartitionIndex(partition)
        .setCommittedOffset(offset.offset())
        .setCommittedLeaderEpoch(offset.leaderEpoch())
        .setMetadata(offset.metadata())
        .setErrorCode(offset.error().code());
  }

  // ---- several groups ----------------------------------------------------------------------

  private CompletionStage<@Nullable OffsetFetchResponse> fetchMany(
      boolean isById, OffsetFetchRequest request) {
    List<CompletableFuture<OffsetFetchResponseGroup>> groups = new ArrayList<>();
    for (OffsetFetchRequestGroup group : request.groups()) {
      OffsetFetchGroup fetch = new OffsetFetchGroup(topics, isById, group);
      groups.add(
          coordinator
              .fetch(group.groupId(), fetch.partitions())
              .thenApply(fetch::response)
              .toCompletableFuture());
    }
    return Stages.all(groups).thenApply(answers -> new OffsetFetchResponse().setGroups(answers));
  }
}
