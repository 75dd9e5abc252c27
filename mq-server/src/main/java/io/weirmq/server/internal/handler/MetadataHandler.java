package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.Uuids;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataRequest.MetadataRequestTopic;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseTopic;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.TopicCreation;
import io.weirmq.server.internal.admin.TopicNames;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells brokers, topics and who leads which partition; makes topics that are asked for where both
 * the client and the broker's configuration want that. Safe for use by several threads.
 *
 * <p>A topic that is made here is answered complete, so that the client need not ask again. Topics
 * come in the order in which they were asked for, all topics by name.
 */
public final class MetadataHandler implements ApiHandler<MetadataRequest, MetadataResponse> {

  private static final short FIRST_VERSION_WITH_NULL_FOR_ALL = 1;
  private static final short FIRST_VERSION_WITH_AUTO_CREATION_FLAG = 4;
  private static final short FIRST_VERSION_BY_ID = 12;

  private final MetadataStore store;
  private final MetadataAnswers answers;
  private final TopicCreation creation;
  private final boolean autoCreate;

  /**
   * Makes the handler.
   *
   * @param autoCreate {@code auto.create.topics.enable}
   */
  public MetadataHandler(
      MetadataStore store, MetadataAnswers answers, TopicCreation creation, boolean autoCreate) {
    this.store = store;
    this.answers = answers;
    this.creation = creation;
    this.autoCreate = autoCreate;
  }

  @Override
  public CompletionStage<@Nullable MetadataResponse> handle(
      RequestContext context, MetadataRequest request) {
    List<MetadataRequestTopic> asked = request.topics();
    if (isForAll(context.apiVersion(), asked)) {
      MetadataImage image = store.image();
      return CompletableFuture.completedFuture(
          answers.response(context, image, request, all(context, image, request)));
    }
    Set<MetadataRequestTopic> topics = new LinkedHashSet<>(asked);
    return createMissing(context, request, topics)
        .thenApply(
            failures -> {
              MetadataImage image = store.image();
              return answers.response(
                  context, image, request, some(context, image, request, topics, failures));
            });
  }

  private static boolean isForAll(short version, @Nullable List<MetadataRequestTopic> asked) {
    return asked == null || (version < FIRST_VERSION_WITH_NULL_FOR_ALL && asked.isEmpty());
  }

  private List<MetadataResponseTopic> all(
      RequestContext context, MetadataImage image, MetadataRequest request) {
    return image.topics().stream()
        .sorted(Comparator.comparing(TopicMetadata::name))
        .map(topic -> answers.topic(context, image, request, topic))
        .toList();
  }

  private List<MetadataResponseTopic> some(
      RequestContext context,
      MetadataImage image,
      MetadataRequest request,
      Set<MetadataRequestTopic> asked,
      Map<String, AdminError> failures) {
    List<MetadataResponseTopic> topics = new ArrayList<>(asked.size());
    for (MetadataRequestTopic topic : asked) {
      topics.add(one(context, image, request, topic, failures));
    }
    return topics;
  }

  private MetadataResponseTopic one(
      RequestContext context,
      MetadataImage image,
      MetadataRequest request,
      MetadataRequestTopic asked,
      Map<String, AdminError> failures) {
    String name = asked.name();
    if (name == null || !asked.topicId().equals(Uuids.ZERO)) {
      return byId(context, image, request, asked);
    }
    if (TopicNames.problemWith(name).isPresent()) {
      return answers.failed(context, name, Uuids.ZERO, ErrorCode.INVALID_TOPIC_EXCEPTION);
    }
    return image
        .topic(name)
        .map(topic -> answers.topic(context, image, request, topic))
        .orElseGet(() -> answers.failed(context, name, Uuids.ZERO, absent(failures.get(name))));
  }

  private MetadataResponseTopic byId(
      RequestContext context,
      MetadataImage image,
      MetadataRequest request,
      MetadataRequestTopic asked) {
    if (context.apiVersion() < FIRST_VERSION_BY_ID) {
      String name = asked.name() == null ? "" : asked.name();
      return answers.failed(context, name, asked.topicId(), ErrorCode.INVALID_REQUEST);
    }
    return image
        .topic(asked.topicId())
        .map(topic -> answers.topic(context, image, request, topic))
        .orElseGet(
            () -> answers.failed(context, null, asked.topicId(), ErrorCode.UNKNOWN_TOPIC_ID));
  }

  private static ErrorCode absent(@Nullable AdminError failure) {
    return failure == null || failure.isNone()
        ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        : failure.code();
  }

  /** Completes with the failures by topic name, once all that could be made are. */
  private CompletionStage<Map<String, AdminError>> createMissing(
      RequestContext context, MetadataRequest request, Set<MetadataRequestTopic> asked) {
    Map<String, AdminError> failures = new LinkedHashMap<>();
    CompletionStage<Map<String, AdminError>> result = CompletableFuture.completedFuture(failures);
    boolean wanted =
        context.apiVersion() < FIRST_VERSION_WITH_AUTO_CREATION_FLAG
            || request.allowAutoTopicCreation();
    if (!autoCreate || !wanted) {
      return result;
    }
    MetadataImage image = store.image();
    for (MetadataRequestTopic topic : asked) {
      String name = topic.name();
      if (name != null
          && topic.topicId().equals(Uuids.ZERO)
          && image.topic(name).isEmpty()
          && TopicNames.problemWith(name).isEmpty()) {
        CompletionStage<AdminError> made = creation.create(name);
        result =
            result.thenCombine(
                made,
                (all, error) -> {
                  all.put(name, error);
                  return all;
                });
      }
    }
    return result;
  }
}
