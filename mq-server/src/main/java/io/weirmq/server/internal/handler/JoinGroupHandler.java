package io.weirmq.server.internal.handler;

import io.weirmq.protocol.message.JoinGroupRequest;
import io.weirmq.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import io.weirmq.protocol.message.JoinGroupResponse;
import io.weirmq.protocol.message.JoinGroupResponse.JoinGroupResponseMember;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.JoinGroupCommand;
import io.weirmq.server.internal.group.message.JoinGroupResult;
import io.weirmq.server.internal.group.message.JoinProtocol;
import io.weirmq.server.internal.group.message.JoinedMember;
import io.weirmq.server.internal.group.message.MemberIdentity;
import io.weirmq.server.internal.group.message.OpaqueBytes;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lets members into groups. Safe for use by several threads.
 *
 * <p>The answer comes when the group's generation begins, so a client's connection may be parked
 * for as long as the longest rebalance timeout of the group.
 */
public final class JoinGroupHandler implements ApiHandler<JoinGroupRequest, JoinGroupResponse> {

  private static final short FIRST_WITH_MEMBER_ID_REQUIRED = 4;
  private static final short FIRST_WITH_NULL_PROTOCOL = 7;
  private static final short FIRST_WITH_SKIP_ASSIGNMENT = 9;

  private final GroupCoordinator coordinator;

  public JoinGroupHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable JoinGroupResponse> handle(
      RequestContext context, JoinGroupRequest request) {
    short version = context.apiVersion();
    return coordinator
        .join(command(context, request))
        .thenApply(result -> response(result, version));
  }

  private static JoinGroupCommand command(RequestContext context, JoinGroupRequest request) {
    short version = context.apiVersion();
    List<JoinProtocol> protocols = new ArrayList<>(request.protocols().size());
    for (JoinGroupRequestProtocol protocol : request.protocols()) {
      protocols.add(new JoinProtocol(protocol.name(), OpaqueBytes.of(protocol.metadata())));
    }
    return new JoinGroupCommand(
        request.groupId(),
        new MemberIdentity(request.memberId(), request.groupInstanceId()),
        context.clientId(),
        "/" + context.peer().host(),
        request.sessionTimeoutMs(),
        // Version 0 has none: there the session timeout stands for both.
        version == 0 ? request.sessionTimeoutMs() : request.rebalanceTimeoutMs(),
        request.protocolType(),
        protocols,
        version >= FIRST_WITH_MEMBER_ID_REQUIRED,
        version >= FIRST_WITH_SKIP_ASSIGNMENT,
        request.reason());
  }

  private static JoinGroupResponse response(JoinGroupResult result, short version) {
    String protocolName = result.protocolName();
    if (protocolName == null && version < FIRST_WITH_NULL_PROTOCOL) {
      protocolName = "";
    }
    JoinGroupResponse response =
        new JoinGroupResponse()
            .setErrorCode(result.error().code())
            .setGenerationId(result.generation())
            .setProtocolType(result.protocolType())
            .setProtocolName(protocolName)
            .setLeader(result.leader())
            .setSkipAssignment(result.skipAssignment())
            .setMemberId(result.memberId());
    for (JoinedMember member : result.members()) {
      response
          .members()
          .add(
              new JoinGroupResponseMember()
                  .setMemberId(member.memberId())
                  .setGroupInstanceId(member.instanceId())
                  .setMetadata(member.metadata().array()));
    }
    return response;
  }
}
