package io.weirmq.transport.shm.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wakes the peer by a byte on the socket. Safe for use by several threads. */
final class Bell {

  private static final Logger LOG = LoggerFactory.getLogger(Bell.class);

  private final SocketChannel socket;
  private final WaitCounters counters;
  private final ByteBuffer one = ByteBuffer.allocateDirect(1);

  Bell(SocketChannel socket, WaitCounters counters) {
    this.socket = socket;
    this.counters = counters;
  }

  /**
   * Rings, without blocking. A socket that takes no byte is full of unread ones, each of which
   * wakes the peer as well.
   */
  synchronized void ring() {
    counters.bellRings();
    try {
      socket.write(one.clear());
    } catch (IOException e) {
      // The peer is gone; the loop hears that from the socket, and what was left in the ring comes
      // first.
      LOG.trace("nobody hears the bell", e);
    }
  }
}
