package io.weirmq.transport;

import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection: its address and what the transport itself has proved of it.
 * Immutable.
 *
 * @param host address without a port, as logs and group members show it; a path or user for local
 *     transports
 * @param port remote port, or 0
 * @param tlsSubject distinguished name of a verified client certificate, or null
 * @param unixUser user of a peer on the same host as told by the system, or null
 */
public record Peer(
    String host, int port, @Nullable String tlsSubject, @Nullable UnixUser unixUser) {

  /**
   * A user as the kernel reports it.
   *
   * @param user login name
   * @param group name of the primary group
   */
  public record UnixUser(String user, String group) {}

  /** Returns a peer of which only the address is known. */
  public static Peer ofAddress(String host, int port) {
    return new Peer(host, port, null, null);
  }

  @Override
  public String toString() {
    return port == 0 ? host : host + ":" + port;
  }
}
