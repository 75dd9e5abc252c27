package io.weirmq.transport.shm.internal.handshake;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/** Asks the system who is at the other end of a socket. Stateless. */
final class PeerIdentity {

  private PeerIdentity() {}

  /**
   * Returns the peer's user and group.
   *
   * @throws IOException where it is another user than ourselves, or where the system does not tell
   */
  static UnixDomainPrincipal require(SocketChannel socket, UserPrincipal self) throws IOException {
    UnixDomainPrincipal peer;
    try {
      peer = socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
    } catch (UnsupportedOperationException e) {
      throw new IOException("this system does not tell the users of local peers", e);
    }
    if (!peer.user().equals(self)) {
      throw new IOException(
          "the other side runs as user %s; only %s is admitted"
              .formatted(peer.user().getName(), self.getName()));
    }
    return peer;
  }
}
