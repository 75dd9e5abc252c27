package io.weirmq.server.internal.group.message;

/**
 * A member says that it lives. Immutable.
 *
 * @param groupId name of the group
 * @param member who lives
 * @param generation generation that the member is in
 */
public record HeartbeatCommand(String groupId, MemberIdentity member, int generation) {}
