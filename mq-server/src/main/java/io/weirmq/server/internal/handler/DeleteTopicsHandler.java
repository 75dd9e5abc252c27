package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.message.DeleteTopicsRequest;
import io.weirmq.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import io.weirmq.protocol.message.DeleteTopicsResponse;
import io.weirmq.protocol.message.DeleteTopicsResponse.DeletableTopicResult;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes topics away, by name or from version 6 on by id. Safe for use by several threads. */
public final class DeleteTopicsHandler
    implements ApiHandler<DeleteTopicsRequest, DeleteTopicsResponse> {

  private static final short FIRST_VERSION_WITH_IDS = 6;
  private static final short FIRST_VERSION_WITH_MESSAGES = 5;
  private static final short FIRST_VERSION_WITH_DISABLED = 3;

  private final MetadataStore store;
  private final boolean enabled;

  /**
   * Makes the handler.
   *
   * @param enabled {@code delete.topic.enable}
   */
  public DeleteTopicsHandler(MetadataStore store, boolean enabled) {
    this.store = store;
    this.enabled = enabled;
  }

  @Override
  public CompletionStage<@Nullable DeleteTopicsResponse> handle(
      RequestContext context, DeleteTopicsRequest request) {
    short version = context.apiVersion();
    List<DeleteTopicState> asked =
        version >= FIRST_VERSION_WITH_IDS
            ? request.topics()
            : request.topicNames().stream()
                .map(name -> new DeleteTopicState().setName(name))
                .toList();
    MetadataImage image = store.image();
    Map<UUID, Integer> mentions = mentions(image, asked);
    List<CompletionStage<DeletableTopicResult>> results =
        asked.stream().map(topic -> delete(version, image, topic, mentions)).toList();
    return Stages.all(results)
        .thenApply(responses -> new DeleteTopicsResponse().setResponses(responses));
  }

  /** How often each topic is asked for, under its name or its id. */
  private static Map<UUID, Integer> mentions(MetadataImage image, List<DeleteTopicState> asked) {
    Map<UUID, Integer> mentions = new HashMap<>();
    asked.forEach(
        state ->
            find(image, state).ifPresent(topic -> mentions.merge(topic.id(), 1, Integer::sum)));
    return mentions;
  }

  private static Optional<TopicMetadata> find(MetadataImage image, DeleteTopicState asked) {
    String name = asked.name();
    return name != null ? image.topic(name) : image.topic(asked.topicId());
  }

  private CompletionStage<DeletableTopicResult> delete(
      short version, MetadataImage image, DeleteTopicState asked, Map<UUID, Integer> mentions) {
    AdminError refusal = refusal(version, asked);
    if (!refusal.isNone()) {
      return done(version, asked.name(), asked.topicId(), refusal);
    }
    Optional<TopicMetadata> found = find(image, asked);
    if (found.isEmpty()) {
      return done(version, asked.name(), asked.topicId(), unknown(asked));
    }
    TopicMetadata topic = found.get();
    if (mentions.getOrDefault(topic.id(), 0) > 1) {
      AdminError twice = new AdminError(ErrorCode.INVALID_REQUEST, "Duplicate topic name or id.");
      return done(version, asked.name(), asked.topicId(), twice);
    }
    return store
        .apply(new DeleteTopic(topic.id()))
        .handle((after, failure) -> failure == null ? AdminError.NONE : gone(asked, failure))
        .thenCompose(error -> done(version, topic.name(), topic.id(), error));
  }

  private AdminError refusal(short version, DeleteTopicState asked) {
    if (!enabled) {
      return new AdminError(
          version >= FIRST_VERSION_WITH_DISABLED
              ? ErrorCode.TOPIC_DELETION_DISABLED
              : ErrorCode.INVALID_REQUEST,
          "Topic deletion is disabled (delete.topic.enable=false).");
    }
    boolean byName = asked.name() != null;
    boolean byId = !asked.topicId().equals(Uuids.ZERO);
    if (byName && byId) {
      return new AdminError(
          ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id.");
    }
    if (!byName && !byId) {
      return new AdminError(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.");
    }
    return AdminError.NONE;
  }

  private static AdminError unknown(DeleteTopicState asked) {
    ErrorCode code =
        asked.name() != null ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.UNKNOWN_TOPIC_ID;
    return new AdminError(code, code.text());
  }

  /** A topic that somebody else deletes meanwhile is unknown in the way it was asked for. */
  private static AdminError gone(DeleteTopicState asked, Throwable failure) {
    AdminError error = AdminError.of(failure);
    return error.code() == ErrorCode.UNKNOWN_TOPIC_ID ? unknown(asked) : error;
  }

  private static CompletionStage<DeletableTopicResult> done(
      short version, @Nullable String name, UUID id, AdminError error) {
    DeletableTopicResult result =
        new DeletableTopicResult().setName(name).setErrorCode(error.code().code());
    if (version >= FIRST_VERSION_WITH_MESSAGES) {
      result.setErrorMessage(error.message());
    }
    if (version >= FIRST_VERSION_WITH_IDS) {
      result.setTopicId(id);
    }
    return CompletableFuture.completedFuture(result);
  }
}
