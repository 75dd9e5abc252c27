package io.weirmq.server.internal.handler;

import io.weirmq.protocol.message.ListGroupsRequest;
import io.weirmq.protocol.message.ListGroupsResponse;
import io.weirmq.protocol.message.ListGroupsResponse.ListedGroup;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.GroupListing;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lists the groups of this broker. Safe for use by several threads. */
public final class ListGroupsHandler implements ApiHandler<ListGroupsRequest, ListGroupsResponse> {

  private final GroupCoordinator coordinator;

  public ListGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable ListGroupsResponse> handle(
      RequestContext context, ListGroupsRequest request) {
    return coordinator
        .list(Set.copyOf(request.statesFilter()), Set.copyOf(request.typesFilter()))
        .thenApply(ListGroupsHandler::response);
  }

  private static ListGroupsResponse response(GroupListing listing) {
    ListGroupsResponse response = new ListGroupsResponse().setErrorCode(listing.error().code());
    for (GroupListing.Entry entry : listing.groups()) {
      response
          .groups()
          .add(
              new ListedGroup()
                  .setGroupId(entry.groupId())
                  .setProtocolType(entry.protocolType())
                  .setGroupState(entry.state())
                  .setGroupType(entry.type()));
    }
    return response;
  }
}
