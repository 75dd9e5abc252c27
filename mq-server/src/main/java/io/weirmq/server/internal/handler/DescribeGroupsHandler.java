package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.DescribeGroupsRequest;
import io.weirmq.protocol.message.DescribeGroupsResponse;
import io.weirmq.protocol.message.DescribeGroupsResponse.DescribedGroup;
import io.weirmq.protocol.message.DescribeGroupsResponse.DescribedGroupMember;
import io.weirmq.server.internal.admin.Stages;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.message.GroupDescription;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Shows groups. Safe for use by several threads.
 *
 * <p>A group that does not exist is an error from version 6 on; before, it is one in the state
 * Dead.
 */
public final class DescribeGroupsHandler
    implements ApiHandler<DescribeGroupsRequest, DescribeGroupsResponse> {

  private static final short FIRST_WITH_NOT_FOUND = 6;
  private static final String DEAD = "Dead";

  /** READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS: all that one can do with a group. */
  private static final int ALL_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

  private final GroupCoordinator coordinator;

  public DescribeGroupsHandler(GroupCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public CompletionStage<@Nullable DescribeGroupsResponse> handle(
      RequestContext context, DescribeGroupsRequest request) {
    short version = context.apiVersion();
    boolean withOperations = request.includeAuthorizedOperations();
    List<CompletableFuture<DescribedGroup>> groups = new ArrayList<>(request.groups().size());
    for (String groupId : request.groups()) {
      groups.add(
          coordinator
              .describe(groupId)
              .thenApply(description -> described(version, withOperations, description))
              .toCompletableFuture());
    }
    return Stages.all(groups).thenApply(answers -> new DescribeGroupsResponse().setGroups(answers));
  }

  private static DescribedGroup described(
      short version, boolean withOperations, GroupDescription description) {
    DescribedGroup group = new DescribedGroup().setGroupId(description.groupId());
    if (description.error() == ErrorCode.GROUP_ID_NOT_FOUND) {
      group.setGroupState(DEAD);
      if (version >= FIRST_WITH_NOT_FOUND) {
        group
            .setErrorCode(description.error().code())
            .setErrorMessage("Group " + description.groupId() + " not found.");
      }
    } else {
      group
          .setErrorCode(description.error().code())
          .setGroupState(description.state())
          .setProtocolType(description.protocolType())
          .setProtocolData(description.protocol());
      description.members().forEach(member -> group.members().add(described(member)));
    }
    if (withOperations && description.error() == ErrorCode.NONE) {
      group.setAuthorizedOperations(ALL_OPERATIONS);
    }
    return group;
  }

  private static DescribedGroupMember described(GroupDescription.Member member) {
    return new DescribedGroupMember()
        .setMemberId(member.memberId())
        .setGroupInstanceId(member.instanceId())
        .setClientId(member.clientId())
        .setClientHost(member.clientHost())
        .setMemberMetadata(member.metadata().array())
        .setMemberAssignment(member.assignment().array());
  }
}
