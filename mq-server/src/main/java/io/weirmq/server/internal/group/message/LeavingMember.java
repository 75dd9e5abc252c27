package io.weirmq.server.internal.group.message;

import org.jspecify.annotations.Nullable;

/**
 * A member that is to leave. Immutable.
 *
 * @param member who leaves; an administrator names a static member by its instance id alone
 * @param reason why it leaves, in the client's words; null where it does not say
 */
public record LeavingMember(MemberIdentity member, @Nullable String reason) {}
