package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.FindCoordinatorResponse.Coordinator;
import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.internal.group.GroupPartitions;
import io.weirmq.server.internal.group.OffsetsTopic;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which broker coordinates a group: the leader of the group's partition of {@code
 * __consumer_offsets}. The topic is made at the first question. Safe for use by several threads.
 *
 * <p>Coordinators of transactions and of share groups do not exist here. Clients repeat "not
 * available" for ever, so the answer is {@link ErrorCode#INVALID_REQUEST} with a message, which
 * fails them at once.
 */
public final class FindCoordinatorHandler
    implements ApiHandler<FindCoordinatorRequest, FindCoordinatorResponse> {

  private static final Logger LOG = LoggerFactory.getLogger(FindCoordinatorHandler.class);

  private static final short FIRST_WITH_BATCH = 4;
  private static final short FIRST_WITH_SHARE = 6;
  private static final byte GROUP = 0;
  private static final byte TRANSACTION = 1;
  private static final byte SHARE = 2;

  /** What stands in the message of a success up to version 3, as in Kafka. */
  private static final String NO_ERROR = "NONE";

  private final OffsetsTopic offsetsTopic;

  public FindCoordinatorHandler(OffsetsTopic offsetsTopic) {
    this.offsetsTopic = offsetsTopic;
  }

  /** Where a key's coordinator is, or why it is nowhere. Immutable. */
  private record Answer(
      String key, ErrorCode error, @Nullable String message, int nodeId, String host, int port) {

    static Answer refused(String key, ErrorCode error, @Nullable String message) {
      return new Answer(key, error, message, -1, "", -1);
    }
  }

  @Override
  public CompletionStage<@Nullable FindCoordinatorResponse> handle(
      RequestContext context, FindCoordinatorRequest request) {
    boolean isBatch = context.apiVersion() >= FIRST_WITH_BATCH;
    List<String> keys = isBatch ? request.coordinatorKeys() : List.of(request.key());
    return answers(context, request.keyType(), keys)
        .thenApply(answers -> isBatch ? batch(answers) : single(answers.get(0)));
  }

  private CompletionStage<List<Answer>> answers(
      RequestContext context, byte keyType, List<String> keys) {
    if (keyType != GROUP) {
      String message = whyNot(context.apiVersion(), keyType);
      return CompletableFuture.completedFuture(
          each(keys, key -> Answer.refused(key, ErrorCode.INVALID_REQUEST, message)));
    }
    return offsetsTopic
        .ensureExists()
        .handle(
            (image, failure) -> {
              if (failure != null) {
                LOG.warn("Topic {} can't be made", GroupPartitions.TOPIC, failure);
              }
              return each(keys, key -> find(image, key, context.advertisedListener()));
            });
  }

  private static List<Answer> each(List<String> keys, Function<String, Answer> answer) {
    List<Answer> answers = new ArrayList<>(keys.size());
    keys.forEach(key -> answers.add(answer.apply(key)));
    return answers;
  }

  private static String whyNot(short version, byte keyType) {
    if (keyType == TRANSACTION) {
      return "This broker does not coordinate transactions; use a producer without a transactional id.";
    }
    if (keyType == SHARE && version >= FIRST_WITH_SHARE) {
      return "This broker does not coordinate share groups.";
    }
    return "There is no coordinator of key type %d in version %d.".formatted(keyType, version);
  }

  private static Answer find(@Nullable MetadataImage image, String groupId, String listenerName) {
    if (image == null) {
      return Answer.refused(groupId, ErrorCode.COORDINATOR_NOT_AVAILABLE, null);
    }
    Optional<BrokerMetadata> leader =
        image
            .topic(GroupPartitions.TOPIC)
            .map(topic -> partitionOf(topic, groupId))
            .map(partition -> image.brokers().get(partition.leader()));
    Optional<BrokerEndpoint> endpoint = leader.flatMap(broker -> broker.endpoint(listenerName));
    if (leader.isEmpty() || endpoint.isEmpty()) {
      return Answer.refused(groupId, ErrorCode.COORDINATOR_NOT_AVAILABLE, null);
    }
    return new Answer(
        groupId,
        ErrorCode.NONE,
        null,
        leader.get().id(),
        endpoint.get().host(),
        endpoint.get().port());
  }

  private static PartitionMetadata partitionOf(TopicMetadata topic, String groupId) {
    List<PartitionMetadata> partitions = topic.partitions();
    return partitions.get(GroupPartitions.partitionOf(groupId, partitions.size()));
  }

  private static FindCoordinatorResponse single(Answer answer) {
    String message = answer.message();
    return new FindCoordinatorResponse()
        .setErrorCode(answer.error().code())
        .setErrorMessage(answer.error() == ErrorCode.NONE ? NO_ERROR : message)
        .setNodeId(answer.nodeId())
        .setHost(answer.host())
        .setPort(answer.port());
  }

  private static FindCoordinatorResponse batch(List<Answer> answers) {
    FindCoordinatorResponse response = new FindCoordinatorResponse();
    for (Answer answer : answers) {
      String message = answer.message();
      response
          .coordinators()
          .add(
              new Coordinator()
                  .setKey(answer.key())
                  .setErrorCode(answer.error().code())
                  .setErrorMessage(message == null ? "" : message)
                  .setNodeId(answer.nodeId())
                  .setHost(answer.host())
                  .setPort(answer.port()));
    }
    return response;
  }
}
