package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group as tools show it. Immutable.
 *
 * @param error {@link ErrorCode#NONE}; {@link ErrorCode#GROUP_ID_NOT_FOUND} where the group does
 *     not exist; else why it could not be looked at
 * @param groupId name of the group
 * @param state name of the state; empty with an error
 * @param protocolType kind of group, empty where it has none
 * @param protocol protocol of the generation; empty unless the group is stable
 * @param members the members
 */
public record GroupDescription(
    ErrorCode error,
    String groupId,
    String state,
    String protocolType,
    String protocol,
    List<Member> members) {

  /** Copies the list. */
  public GroupDescription {
    members = List.copyOf(members);
  }

  /** A refusal. */
  public static GroupDescription refused(ErrorCode error, String groupId) {
    return new GroupDescription(error, groupId, "", "", "", List.of());
  }

  /**
   * A member. Immutable.
   *
   * @param memberId id of the member
   * @param instanceId name of a static member, null for a dynamic one
   * @param clientId the client's name for itself
   * @param clientHost address of the client
   * @param metadata what it said under the protocol; empty unless the group is stable
   * @param assignment what it was given; empty unless the group is stable
   */
  public record Member(
      String memberId,
      @Nullable String instanceId,
      String clientId,
      String clientHost,
      OpaqueBytes metadata,
      OpaqueBytes assignment) {}
}
