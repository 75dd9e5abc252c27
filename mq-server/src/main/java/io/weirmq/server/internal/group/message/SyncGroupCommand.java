package io.weirmq.server.internal.group.message;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A member asks for its assignment; the leader brings those of all. Immutable.
 *
 * @param groupId name of the group
 * @param member who asks
 * @param generation generation that the member has joined
 * @param protocolType kind of group that the member expects, null where it did not say
 * @param protocolName protocol that the member expects, null where it did not say
 * @param assignments assignments by member id; empty unless the leader asks
 */
public record SyncGroupCommand(
    String groupId,
    MemberIdentity member,
    int generation,
    @Nullable String protocolType,
    @Nullable String protocolName,
    Map<String, OpaqueBytes> assignments) {

  /** Copies the map. */
  public SyncGroupCommand {
    assignments = Map.copyOf(assignments);
  }
}
