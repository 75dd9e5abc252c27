package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import io.weirmq.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import io.weirmq.protocol.message.IncrementalAlterConfigsResponse;
import io.weirmq.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.ConfigAlterations;
import io.weirmq.server.internal.admin.ConfigEdit;
import io.weirmq.server.internal.admin.RefusedException;
import io.weirmq.server.internal.admin.ResourceNames;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Changes single configurations and leaves the others. Safe for use by several threads. */
public final class IncrementalAlterConfigsHandler
    implements ApiHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> {

  private static final ConfigEdit.Kind[] KINDS = ConfigEdit.Kind.values();

  private final ConfigAlterations alterations;

  public IncrementalAlterConfigsHandler(ConfigAlterations alterations) {
    this.alterations = alterations;
  }

  @Override
  public CompletionStage<@Nullable IncrementalAlterConfigsResponse> handle(
      RequestContext context, IncrementalAlterConfigsRequest request) {
    ResourceNames names = new ResourceNames();
    request.resources().forEach(r -> names.add(r.resourceType(), r.resourceName()));
    List<CompletableFuture<AlterConfigsResourceResponse>> responses =
        request.resources().stream()
            .map(resource -> alter(resource, names, request.validateOnly()))
            .toList();
    return Stages.all(responses)
        .thenApply(results -> new IncrementalAlterConfigsResponse().setResponses(results));
  }

  private CompletableFuture<AlterConfigsResourceResponse> alter(
      AlterConfigsResource resource, ResourceNames names, boolean validateOnly) {
    byte type = resource.resourceType();
    String name = resource.resourceName();
    if (names.isTwice(type, name)) {
      return CompletableFuture.completedFuture(response(resource, ResourceNames.TWICE));
    }
    try {
      return alterations
          .alter(type, name, new ConfigEdit.Change(operations(resource)), validateOnly)
          .thenApply(error -> response(resource, error));
    } catch (RefusedException e) {
      return CompletableFuture.completedFuture(response(resource, e.error()));
    }
  }

  private static List<ConfigEdit.Operation> operations(AlterConfigsResource resource)
      throws RefusedException {
    List<ConfigEdit.Operation> operations = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    for (AlterableConfig config : resource.configs()) {
      if (!keys.add(config.name())) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys: " + config.name());
      }
      operations.add(operation(config));
    }
    return operations;
  }

  private static ConfigEdit.Operation operation(AlterableConfig config) throws RefusedException {
    int number = config.configOperation();
    if (number < 0 || number >= KINDS.length) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "Unknown operation %d for config %s".formatted(number, config.name()));
    }
    ConfigEdit.Kind kind = KINDS[number];
    if (config.value() == null && kind != ConfigEdit.Kind.DELETE) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST, "Null value not supported for : " + config.name());
    }
    return new ConfigEdit.Operation(config.name(), kind, config.value());
  }

  private static AlterConfigsResourceResponse response(
      AlterConfigsResource resource, AdminError error) {
    return new AlterConfigsResourceResponse()
        .setErrorCode(error.code().code())
        .setErrorMessage(error.message())
        .setResourceType(resource.resourceType())
        .setResourceName(resource.resourceName());
  }
}
