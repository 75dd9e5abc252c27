package io.weirmq.server.internal.group.message;

import io.weirmq.protocol.ErrorCode;
import java.util.List;

/**
 * The groups that this broker coordinates. Immutable.
 *
 * @param error {@link ErrorCode#NONE}, or why the list would not be whole
 * @param groups the groups; empty with an error
 */
public record GroupListing(ErrorCode error, List<Entry> groups) {

  /** Copies the list. */
  public GroupListing {
    groups = List.copyOf(groups);
  }

  /**
   * A group. Immutable.
   *
   * @param groupId name of the group
   * @param protocolType kind of group, empty where it has none
   * @param state name of the state
   * @param type protocol by which the group is run, {@code classic}
   */
  public record Entry(String groupId, String protocolType, String state, String type) {}
}
