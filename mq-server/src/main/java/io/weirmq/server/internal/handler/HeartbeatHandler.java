package io.weirmq.server.internal.handler;

import io.weirmq.protocol.message.HeartbeatRequest;
import io.weirmq.protocol.message.HeartbeatResponse;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.HeartbeatCommand;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes the heartbeats of members. Safe for use by several threads. */
public final class HeartbeatHandler implements ApiHandler<HeartbeatRequest, HeartbeatResponse> {

  private final GroupCoordinator coordinator;

  public HeartbeatHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable HeartbeatResponse> handle(
      RequestContext context, HeartbeatRequest request) {
    return coordinator
        .heartbeat(
            new HeartbeatCommand(
                request.groupId(),
                new MemberIdentity(request.memberId(), request.groupInstanceId()),
                request.generationId()))
        .thenApply(error -> new HeartbeatResponse().setErrorCode(error.code()));
  }
}
