package io.weirmq.transport.shm.internal;

import java.io.IOException;

/** Who made a connection: a listener that accepted it, or the transport that connected it. */
interface ConnectionOwner {

  /**
   * Takes the connection in, before its handler is made. On the connection's loop.
   *
   * @return false where the transport is closing, so that the connection has to end at once
   */
  boolean opened(ShmConnection connection);

  /** Where its connections count their waits. */
  WaitCounters waits();

  /** Forgets the connection, before its handler hears of the end. On the loop. */
  void ended(ShmConnection connection);

  /** Counts and reports a frame or record that can't be. On the loop. */
  void framingError(ShmConnection connection, IOException error);
}
