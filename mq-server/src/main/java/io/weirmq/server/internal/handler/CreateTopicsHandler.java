package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopic;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.protocol.message.CreateTopicsResponse.CreatableTopicConfigs;
import io.weirmq.protocol.message.CreateTopicsResponse.CreatableTopicResult;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.config.ConfigEntry;
import io.weirmq.server.config.TopicConfigs;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.RefusedException;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.admin.TopicNames;
import io.weirmq.server.internal.admin.TopicPlans;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes topics. Safe for use by several threads.
 *
 * <p>All topics of a request are checked before the first is made, so that a request that creates
 * too many partitions leaves nothing behind. Results are in request order; a name that occurs twice
 * has one, an error.
 */
public final class CreateTopicsHandler
    implements ApiHandler<CreateTopicsRequest, CreateTopicsResponse> {

  private static final short FIRST_VERSION_WITH_CONFIGS = 5;
  private static final short FIRST_VERSION_WITH_IDS = 7;

  private final MetadataStore store;
  private final TopicPlans plans;
  private final TopicConfigs configs;

  public CreateTopicsHandler(MetadataStore store, TopicPlans plans, TopicConfigs configs) {
    this.store = store;
    this.plans = plans;
    this.configs = configs;
  }

  @Override
  public CompletionStage<@Nullable CreateTopicsResponse> handle(
      RequestContext context, CreateTopicsRequest request) {
    MetadataImage image = store.image();
    Map<String, Plan> planned = limit(plan(image, request.topics()));
    List<CompletionStage<CreatableTopicResult>> results = new ArrayList<>();
    planned.forEach(
        (name, plan) ->
            results.add(result(context.apiVersion(), request.validateOnly(), image, name, plan)));
    return Stages.all(results).thenApply(topics -> new CreateTopicsResponse().setTopics(topics));
  }

  private Map<String, Plan> plan(MetadataImage image, List<CreatableTopic> topics) {
    Map<String, Plan> planned = new LinkedHashMap<>();
    Set<String> twice = new HashSet<>();
    Map<String, String> namesByFolded = new HashMap<>();
    for (CreatableTopic topic : topics) {
      if (planned.containsKey(topic.name())) {
        twice.add(topic.name());
      } else {
        planned.put(topic.name(), plan(image, topic, namesByFolded));
      }
    }
    twice.forEach(
        name ->
            planned.put(
                name,
                Plan.refused(new AdminError(ErrorCode.INVALID_REQUEST, "Duplicate topic name."))));
    return planned;
  }

  private Plan plan(MetadataImage image, CreatableTopic topic, Map<String, String> namesByFolded) {
    try {
      CreateTopic change = plans.plan(image, topic);
      String other = namesByFolded.putIfAbsent(TopicNames.folded(topic.name()), topic.name());
      if (other != null) {
        throw TopicPlans.collision(topic.name(), other);
      }
      return new Plan(change, AdminError.NONE);
    } catch (RefusedException e) {
      return Plan.refused(e.error());
    }
  }

  /** Refuses all where they are too many together. */
  private Map<String, Plan> limit(Map<String, Plan> planned) {
    long count = planned.values().stream().mapToLong(Plan::partitionCount).sum();
    if (count > plans.requestPartitionsMax()) {
      AdminError tooMany = plans.tooMany(count).error();
      planned.replaceAll((name, plan) -> plan.change == null ? plan : Plan.refused(tooMany));
    }
    return planned;
  }

  private CompletionStage<CreatableTopicResult> result(
      short version, boolean validateOnly, MetadataImage image, String name, Plan plan) {
    CreateTopic change = plan.change;
    if (change == null) {
      return CompletableFuture.completedFuture(refused(version, name, plan.error));
    }
    if (validateOnly) {
      return CompletableFuture.completedFuture(made(version, image, change, false));
    }
    return store
        .apply(change)
        .handle(
            (after, failure) ->
                failure == null
                    ? made(version, after, change, true)
                    : refused(version, name, AdminError.of(failure)));
  }

  private CreatableTopicResult made(
      short version, MetadataImage image, CreateTopic change, boolean real) {
    CreatableTopicResult result =
        new CreatableTopicResult().setName(change.name()).setErrorMessage(null);
    if (version >= FIRST_VERSION_WITH_IDS && real) {
      result.setTopicId(change.id());
    }
    if (version >= FIRST_VERSION_WITH_CONFIGS) {
      result.setNumPartitions(change.replicas().size());
      result.setReplicationFactor((short) change.replicas().get(0).size());
      result.setConfigs(
          configs.describeTopic(image, change.configs()).stream()
              .map(CreateTopicsHandler::config)
              .toList());
    }
    return result;
  }

  private static CreatableTopicConfigs config(ConfigEntry entry) {
    return new CreatableTopicConfigs()
        .setName(entry.key().name())
        .setValue(entry.value().orElse(null))
        .setReadOnly(false)
        .setConfigSource(entry.source().wireId())
        .setIsSensitive(entry.key().isSensitive());
  }

  private static CreatableTopicResult refused(short version, String name, AdminError error) {
    CreatableTopicResult result =
        new CreatableTopicResult()
            .setName(name)
            .setErrorCode(error.code().code())
            .setErrorMessage(error.message());
    return version >= FIRST_VERSION_WITH_CONFIGS ? result.setConfigs(List.of()) : result;
  }

  /** What is to be done about a topic: a change, or an error. */
  private record Plan(@Nullable CreateTopic change, AdminError error) {

    static Plan refused(AdminError error) {
      return new Plan(null, error);
    }

    int partitionCount() {
      return change == null ? 0 : change.replicas().size();
    }
  }
}
