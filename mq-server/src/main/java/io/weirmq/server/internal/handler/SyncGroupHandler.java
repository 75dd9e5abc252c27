package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.SyncGroupRequest;
import io.weirmq.protocol.message.SyncGroupRequest.SyncGroupRequestAssignment;
import io.weirmq.protocol.message.SyncGroupResponse;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.group.message.SyncGroupCommand;
import io.weirmq.server.internal.group.message.SyncGroupResult;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Hands assignments out to members. Safe for use by several threads. */
public final class SyncGroupHandler implements ApiHandler<SyncGroupRequest, SyncGroupResponse> {

  private static final short FIRST_WITH_PROTOCOL = 5;

  private final GroupCoordinator coordinator;

  public SyncGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable SyncGroupResponse> handle(
      RequestContext context, SyncGroupRequest request) {
    boolean lacksProtocol = request.protocolType() == null || request.protocolName() == null;
    if (context.apiVersion() >= FIRST_WITH_PROTOCOL && lacksProtocol) {
      return CompletableFuture.completedFuture(
          response(SyncGroupResult.refused(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)));
    }
    Map<String, OpaqueBytes> assignments = new HashMap<>();
    for (SyncGroupRequestAssignment assignment : request.assignments()) {
      assignments.put(assignment.memberId(), OpaqueBytes.of(assignment.assignment()));
    }
    return coordinator
        .sync(
            new SyncGroupCommand(
                request.groupId(),
                new MemberIdentity(request.memberId(), request.groupInstanceId()),
                request.generationId(),
                request.protocolType(),
                request.protocolName(),
                assignments))
        .thenApply(SyncGroupHandler::response);
  }

  private static SyncGroupResponse response(SyncGroupResult result) {
    return new SyncGroupResponse()
        .setErrorCode(result.error().code())
        .setProtocolType(result.protocolType())
        .setProtocolName(result.protocolName())
        .setAssignment(result.assignment().array());
  }
}
