package io.weirmq.server.internal.group.message;

import org.jspecify.annotations.Nullable;

/**
 * How a member names itself in a request. Immutable.
 *
 * @param memberId the id that the coordinator gave it; empty where it has none
 * @param instanceId the name that a static member keeps over restarts; null for a dynamic member
 */
public record MemberIdentity(String memberId, @Nullable String instanceId) {

  /** Whether the member has no id yet, or the caller does not speak for a member. */
  public boolean isUnnamed() {
    return memberId.isEmpty();
  }
}
