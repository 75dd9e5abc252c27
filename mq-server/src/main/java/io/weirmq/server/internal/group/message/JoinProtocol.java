package io.weirmq.server.internal.group.message;

/**
 * A way of sharing out the work that a member understands, in the order of its preference.
 * Immutable.
 *
 * @param name name of the assignor, {@code range} for instance
 * @param metadata what the leader must know of the member, its subscription for consumers; unread
 */
public record JoinProtocol(String name, OpaqueBytes metadata) {}
