package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.LeaveGroupRequest;
import io.weirmq.protocol.message.LeaveGroupResponse;
import io.weirmq.protocol.message.LeaveGroupResponse.MemberResponse;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.LeaveGroupResult;
import io.weirmq.server.internal.group.message.LeaveGroupResult.Leaving;
import io.weirmq.server.internal.group.message.LeavingMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lets members leave. Safe for use by several threads.
 *
 * <p>Up to version 2 one member leaves and the error stands on top; from version 3 on several may,
 * with an error each. Administrators name static members by their instance id alone.
 */
public final class LeaveGroupHandler implements ApiHandler<LeaveGroupRequest, LeaveGroupResponse> {

  private static final short FIRST_WITH_MEMBERS = 3;

  private final GroupCoordinator coordinator;

  public LeaveGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable LeaveGroupResponse> handle(
      RequestContext context, LeaveGroupRequest request) {
    if (context.apiVersion() < FIRST_WITH_MEMBERS) {
      return coordinator
          .leave(request.groupId(), List.of(leaving(request.memberId(), null, null)))
          .thenApply(LeaveGroupHandler::responseForOne);
    }
    List<LeavingMember> members =
        request.members().stream()
            .map(m -> leaving(m.memberId(), m.groupInstanceId(), m.reason()))
            .toList();
    return coordinator
        .leave(request.groupId(), members)
        .thenApply(LeaveGroupHandler::responseForAll);
  }

  private static LeavingMember leaving(
      String memberId, @Nullable String instanceId, @Nullable String reason) {
    return new LeavingMember(new MemberIdentity(memberId, instanceId), reason);
  }

  private static LeaveGroupResponse responseForOne(LeaveGroupResult result) {
    ErrorCode error = result.members().isEmpty() ? result.error() : result.members().get(0).error();
    return new LeaveGroupResponse().setErrorCode(error.code());
  }

  private static LeaveGroupResponse responseForAll(LeaveGroupResult result) {
    LeaveGroupResponse response = new LeaveGroupResponse().setErrorCode(result.error().code());
    for (Leaving leaving : result.members()) {
      response
          .members()
          .add(
              new MemberResponse()
                  .setMemberId(leaving.member().memberId())
                  .setGroupInstanceId(leaving.member().instanceId())
                  .setErrorCode(leaving.error().code()));
    }
    return response;
  }
}
