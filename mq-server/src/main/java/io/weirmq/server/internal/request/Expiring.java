package io.weirmq.server.internal.request;

/**
 * A stage with a time-out that is looked at now and then, which costs nothing as long as answers
 * come in time. For time-outs that need no precision; a long poll uses a scheduler instead.
 */
public interface Expiring {

  /**
   * Completes the stage where its time is over. Called about once a second on the I/O thread of the
   * connection.
   *
   * @param nowNs the monotonic clock, nanoseconds
   */
  void expire(long nowNs);
}
