package io.weirmq.transport.shm.internal.handshake;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/** Asks the system who is at the other end of a socket. Stateless. */
final class PeerIdentity {

  private PeerIdentity() {}

  /**
   * Returns the peer's user and first group.
   *
   * @throws IOException where the system does not tell
   */
  static UnixDomainPrincipal of(SocketChannel socket) throws IOException {
    try {
      return socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
    } catch (UnsupportedOperationException e) {
      throw new IOException("this system does not tell the users of local peers", e);
    }
  }
}
