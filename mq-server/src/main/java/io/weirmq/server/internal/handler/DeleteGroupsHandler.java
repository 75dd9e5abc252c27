package io.weirmq.server.internal.handler;

import io.weirmq.protocol.message.DeleteGroupsRequest;
import io.weirmq.protocol.message.DeleteGroupsResponse;
import io.weirmq.protocol.message.DeleteGroupsResponse.DeletableGroupResult;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Deletes groups without members. Safe for use by several threads. */
public final class DeleteGroupsHandler
    implements ApiHandler<DeleteGroupsRequest, DeleteGroupsResponse> {

  private final GroupCoordinator coordinator;

  public DeleteGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable DeleteGroupsResponse> handle(
      RequestContext context, DeleteGroupsRequest request) {
    List<CompletableFuture<DeletableGroupResult>> results = new ArrayList<>();
    for (String groupId : request.groupsNames()) {
      results.add(
          coordinator
              .delete(groupId)
              .thenApply(
                  error ->
                      new DeletableGroupResult().setGroupId(groupId).setErrorCode(error.code()))
              .toCompletableFuture());
    }
    return Stages.all(results).thenApply(answers -> new DeleteGroupsResponse().setResults(answers));
  }
}
