package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.AlterConfigsRequest;
import io.weirmq.protocol.message.AlterConfigsRequest.AlterConfigsResource;
import io.weirmq.protocol.message.AlterConfigsRequest.AlterableConfig;
import io.weirmq.protocol.message.AlterConfigsResponse;
import io.weirmq.protocol.message.AlterConfigsResponse.AlterConfigsResourceResponse;
import io.weirmq.server.internal.admin.AdminError;
import io.weirmq.server.internal.admin.ConfigAlterations;
import io.weirmq.server.internal.admin.ConfigEdit;
import io.weirmq.server.internal.admin.ResourceNames;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Replaces whole configurations; what a request does not name is taken away. Safe for use by
 * several threads.
 */
public final class AlterConfigsHandler
    implements ApiHandler<AlterConfigsRequest, AlterConfigsResponse> {

  private final ConfigAlterations alterations;

  public AlterConfigsHandler(ConfigAlterations alterations) {
    this.alterations = alterations;
  }

  @Override
  public CompletionStage<@Nullable AlterConfigsResponse> handle(
      RequestContext context, AlterConfigsRequest request) {
    ResourceNames names = new ResourceNames();
    request.resources().forEach(r -> names.add(r.resourceType(), r.resourceName()));
    List<CompletableFuture<AlterConfigsResourceResponse>> responses =
        request.resources().stream()
            .map(resource -> alter(resource, names, request.validateOnly()))
            .toList();
    return Stages.all(responses)
        .thenApply(results -> new AlterConfigsResponse().setResponses(results));
  }

  private CompletableFuture<AlterConfigsResourceResponse> alter(
      AlterConfigsResource resource, ResourceNames names, boolean validateOnly) {
    byte type = resource.resourceType();
    String name = resource.resourceName();
    if (names.isTwice(type, name)) {
      return CompletableFuture.completedFuture(response(resource, ResourceNames.TWICE));
    }
    Map<String, String> configs = new HashMap<>();
    for (AlterableConfig config : resource.configs()) {
      String value = config.value();
      if (value == null) {
        AdminError error =
            new AdminError(
                ErrorCode.INVALID_REQUEST, "Null value not supported for : " + config.name());
        return CompletableFuture.completedFuture(response(resource, error));
      }
      configs.put(config.name(), value);
    }
    return alterations
        .alter(type, name, new ConfigEdit.Replace(configs), validateOnly)
        .thenApply(error -> response(resource, error));
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
