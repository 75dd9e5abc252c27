package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import java.util.List;

/**
 * The outcome of leaving. Immutable.
 *
 * @param error why nobody was looked at, or {@link ErrorCode#NONE}
 * @param members one outcome for each member asked for, in that order; empty with an error
 */
public record LeaveGroupResult(ErrorCode error, List<Leaving> members) {

  /** Copies the list. */
  public LeaveGroupResult {
    members = List.copyOf(members);
  }

  /** A refusal of the whole. */
  public static LeaveGroupResult refused(ErrorCode error) {
    return new LeaveGroupResult(error, List.of());
  }

  /** The same outcome for every member. */
  public static LeaveGroupResult ofEach(ErrorCode error, List<MemberIdentity> members) {
    return new LeaveGroupResult(
        ErrorCode.NONE, members.stream().map(member -> new Leaving(member, error)).toList());
  }

  /**
   * The outcome for one member. Immutable.
   *
   * @param member as named in the request
   * @param error {@link ErrorCode#NONE}, or why the member was not removed
   */
  public record Leaving(MemberIdentity member, ErrorCode error) {}
}
