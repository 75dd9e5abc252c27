package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a {@link JoinGroupCommand}. Immutable.
 *
 * @param error {@link ErrorCode#NONE}, or why the member did not join
 * @param memberId id of the member; with {@link ErrorCode#MEMBER_ID_REQUIRED} the one to come back
 *     with
 * @param generation generation joined, -1 with an error
 * @param protocolType kind of group, null with an error
 * @param protocolName chosen protocol, null with an error
 * @param leader id of the leader, empty with an error
 * @param skipAssignment true where the leader keeps the assignment that the group has
 * @param members all members, for the leader; empty for the others
 */
public record JoinGroupResult(
    ErrorCode error,
    String memberId,
    int generation,
    @Nullable String protocolType,
    @Nullable String protocolName,
    String leader,
    boolean skipAssignment,
    List<JoinedMember> members) {

  /** The generation that stands in answers without one. */
  public static final int NO_GENERATION = -1;

  /** Copies the list. */
  public JoinGroupResult {
    members = List.copyOf(members);
  }

  /** A refusal. */
  public static JoinGroupResult refused(ErrorCode error, String memberId) {
    return new JoinGroupResult(error, memberId, NO_GENERATION, null, null, "", false, List.of());
  }
}
