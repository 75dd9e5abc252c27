package io.weirmq.server.internal.request;

import io.weirmq.transport.Peer;

/**
 * A client's connection as handlers see it. Safe for use by several threads, but for {@link
 * #suspendRequests()} and {@link #resumeRequests()}.
 */
public interface ClientConnection {

  /** A number that no other connection of this broker has. */
  long id();

  /** The address of the client, and what the transport has proved of it. */
  Peer peer();

  /**
   * Whether the transport has proved that the client is a process of this host and of the broker's
   * own user, which may read the broker's files anyway.
   */
  default boolean isOfOwnUser() {
    return false;
  }

  /** Who the client is. */
  default Principal principal() {
    return Principal.of(peer());
  }

  /** The name of the listener that accepted the connection. */
  String listenerName();

  /** The name of the listener whose addresses this client is told. */
  default String advertisedListener() {
    return listenerName();
  }

  /** Runs a task on the I/O thread of this connection; dropped where the transport is closed. */
  void execute(Runnable task);

  /**
   * Holds back the requests behind the present one, for a handler that can't go on now (a full
   * append ring). The client is not read from meanwhile. On the I/O thread of this connection.
   */
  void suspendRequests();

  /** Goes on with the requests held back. On the I/O thread of this connection. */
  void resumeRequests();

  /** Closes the connection after the responses already sent. */
  void close();
}
