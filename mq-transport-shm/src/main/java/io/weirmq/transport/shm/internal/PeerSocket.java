package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.loop.EventLoop;
import io.weirmq.transport.shm.internal.loop.SocketEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of a connection: the bell in both directions, and the notice of the peer's end.
 *
 * <p>Confined to the connection's loop, except for {@link #ring()}.
 */
final class PeerSocket implements SocketEvents {

  private static final Logger LOG = LoggerFactory.getLogger(PeerSocket.class);

  private static final int BELLS_PER_READ = 64;

  private final ShmConnection connection;
  private final SocketChannel socket;
  private final Bell bell;
  private final ByteBuffer bells = ByteBuffer.allocate(BELLS_PER_READ);
  private @Nullable SelectionKey key;
  private boolean gone;

  /**
   * Makes the socket of a connection.
   *
   * @param socket connected and non-blocking; transferred
   */
  PeerSocket(ShmConnection connection, SocketChannel socket, WaitCounters counters) {
    this.connection = connection;
    this.socket = socket;
    this.bell = new Bell(socket, counters);
  }

  /** Begins to listen. */
  void register(EventLoop loop) throws IOException {
    key = loop.register(socket, SelectionKey.OP_READ, this);
  }

  /** Wakes the peer. From any thread. */
  void ring() {
    bell.ring();
  }

  /** Whether the peer's end was seen. */
  boolean isPeerGone() {
    return gone;
  }

  @Override
  public void ready() {
    try {
      if (socket.read(bells.clear()) < 0) {
        gone();
      }
    } catch (IOException e) {
      LOG.debug("the socket of peer {} is gone", connection.peer(), e);
      gone();
    }
    connection.wake();
  }

  private void gone() {
    if (!gone) {
      gone = true;
      if (key != null) {
        key.cancel();
      }
      connection.peerGone();
    }
  }

  void close() {
    if (key != null) {
      key.cancel();
    }
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("socket of peer {} can't be closed", connection.peer(), e);
    }
  }
}
