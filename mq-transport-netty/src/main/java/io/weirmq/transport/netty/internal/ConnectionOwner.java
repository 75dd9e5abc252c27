package io.weirmq.transport.netty.internal;

/** Who made a connection: a listener that accepted it, or the transport that connected it. */
interface ConnectionOwner {

  /**
   * Takes the connection in, before its handler is made. On the connection's event loop.
   *
   * @return false where the transport is closing, so that the connection has to end at once
   */
  boolean opened(NettyConnection connection);

  /** Forgets the connection, before its handler hears of the end. On the event loop. */
  void ended(NettyConnection connection);

  /** Counts and reports a length that can't be. On the event loop. */
  void framingError(NettyConnection connection, FrameLengthException error);
}
