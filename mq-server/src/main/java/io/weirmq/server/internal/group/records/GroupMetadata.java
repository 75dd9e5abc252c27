package io.weirmq.server.internal.group.records;

import io.weirmq.server.internal.group.message.OpaqueBytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a group when a generation begins, or when the last member has gone. Immutable.
 *
 * @param groupId name of the group
 * @param protocolType kind of group, empty where it has none
 * @param generation generation, 0 or more
 * @param protocol protocol of the generation, null without members
 * @param leader id of the leader, null without members
 * @param stateTimestampMs wall-clock time of the last change of state, in milliseconds since 1970;
 *     {@link #NO_TIMESTAMP} where an old record does not say
 * @param members the members
 */
public record GroupMetadata(
    String groupId,
    String protocolType,
    int generation,
    @Nullable String protocol,
    @Nullable String leader,
    long stateTimestampMs,
    List<Member> members) {

  /** The state timestamp of records that have none. */
  public static final long NO_TIMESTAMP = -1;

  /** Copies the list. */
  public GroupMetadata {
    members = List.copyOf(members);
  }

  /**
   * A member. Immutable.
   *
   * @param memberId id of the member
   * @param instanceId name of a static member, null for a dynamic one
   * @param clientId the client's name for itself
   * @param clientHost address of the client
   * @param rebalanceTimeoutMs how long the group waits for it in a rebalance, in milliseconds
   * @param sessionTimeoutMs how long it may be silent, in milliseconds
   * @param subscription what it said under the protocol
   * @param assignment what it was given
   */
  public record Member(
      String memberId,
      @Nullable String instanceId,
      String clientId,
      String clientHost,
      int rebalanceTimeoutMs,
      int sessionTimeoutMs,
      OpaqueBytes subscription,
      OpaqueBytes assignment) {}
}
