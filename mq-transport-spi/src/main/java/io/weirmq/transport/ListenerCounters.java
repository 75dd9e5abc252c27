package io.weirmq.transport;

/**
 * What a listener has counted since it was bound; all but {@code open} never go down. Immutable.
 *
 * @param accepted connections that were taken in
 * @param refused connections that were closed at once because a limit of {@link TransportOptions}
 *     was reached
 * @param open accepted connections that are open now
 * @param framingErrors connections that were ended by a length below zero or above {@link
 *     TransportOptions#frameBytesMax()}, or by framing that no peer of this transport sends
 */
public record ListenerCounters(long accepted, long refused, long open, long framingErrors) {}
