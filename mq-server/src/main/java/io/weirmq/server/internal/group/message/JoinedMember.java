package io.weirmq.server.internal.group.message;

import org.jspecify.annotations.Nullable;

/**
 * A member as the leader sees it. Immutable.
 *
 * @param memberId id of the member
 * @param instanceId name of a static member, null for a dynamic one
 * @param metadata what the member said under the chosen protocol
 */
public record JoinedMember(String memberId, @Nullable String instanceId, OpaqueBytes metadata) {}
