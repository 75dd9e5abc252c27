package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreatePartitionsRequest;
import io.weirmq.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.weirmq.protocol.message.CreatePartitionsResponse;
import io.weirmq.protocol.message.CreatePartitionsResponse.CreatePartitionsTopicResult;
import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.PartitionPlans;
import io.weirmq.server.internal.admin.RefusedException;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Adds partitions to topics. Safe for use by several threads.
 *
 * <p>All topics of a request are checked before the first is changed. A name that occurs twice has
 * one result, an error.
 */
public final class CreatePartitionsHandler
    implements ApiHandler<CreatePartitionsRequest, CreatePartitionsResponse> {

  private final MetadataStore store;
  private final PartitionPlans plans;

  public CreatePartitionsHandler(MetadataStore store, PartitionPlans plans) {
    this.store = store;
    this.plans = plans;
  }

  @Override
  public CompletionStage<@Nullable CreatePartitionsResponse> handle(
      RequestContext context, CreatePartitionsRequest request) {
    MetadataImage image = store.image();
    Map<String, List<CreatePartitionsTopic>> byName = new LinkedHashMap<>();
    for (CreatePartitionsTopic topic : request.topics()) {
      byName.computeIfAbsent(topic.name(), name -> new ArrayList<>()).add(topic);
    }
    int[] budget = {plans.requestPartitionsMax()};
    List<CompletionStage<CreatePartitionsTopicResult>> results = new ArrayList<>();
    List<Runnable> starts = new ArrayList<>();
    byName.forEach(
        (name, topics) -> {
          CompletableFuture<CreatePartitionsTopicResult> result = new CompletableFuture<>();
          results.add(result);
          try {
            AddPartitions change = plan(image, topics, budget);
            starts.add(() -> start(name, change, request.validateOnly(), result));
          } catch (RefusedException e) {
            result.complete(result(name, e.error()));
          }
        });
    starts.forEach(Runnable::run);
    return Stages.all(results)
        .thenApply(topics -> new CreatePartitionsResponse().setResults(topics));
  }

  private AddPartitions plan(MetadataImage image, List<CreatePartitionsTopic> topics, int[] budget)
      throws RefusedException {
    if (topics.size() > 1) {
      throw new RefusedException(ErrorCode.INVALID_REQUEST, "Duplicate topic name.");
    }
    AddPartitions change = plans.plan(image, topics.get(0), budget[0]);
    budget[0] -= change.replicas().size();
    return change;
  }

  private void start(
      String name,
      AddPartitions change,
      boolean validateOnly,
      CompletableFuture<CreatePartitionsTopicResult> result) {
    if (validateOnly) {
      result.complete(result(name, AdminError.NONE));
      return;
    }
    store
        .apply(change)
        .whenComplete(
            (after, failure) ->
                result.complete(
                    result(name, failure == null ? AdminError.NONE : AdminError.of(failure))));
  }

  private static CreatePartitionsTopicResult result(String name, AdminError error) {
    return new CreatePartitionsTopicResult()
        .setName(name)
        .setErrorCode(error.code().code())
        .setErrorMessage(error.message());
  }
}
