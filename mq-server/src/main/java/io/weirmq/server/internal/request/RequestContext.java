package io.weirmq.server.internal.request;

import io.weirmq.transport.Peer;

/**
 * What a handler may know of a request besides its body. Immutable.
 *
 * @param apiVersion version of the request, within the range of the registration table
 * @param correlationId the client's number of the request
 * @param clientId the client's name for itself, empty where it gave none
 * @param connection the connection that sent the request
 */
public record RequestContext(
    short apiVersion, int correlationId, String clientId, ClientConnection connection) {

  /** The address of the client, and what the transport has proved of it. */
  public Peer peer() {
    return connection.peer();
  }

  /** Who the client is. */
  public Principal principal() {
    return connection.principal();
  }

  /**
   * The name of the listener whose addresses this client is told: that of {@link #listenerName()},
   * but for listeners that have no address.
   */
  public String advertisedListener() {
    return connection.advertisedListener();
  }

  /** The name of the listener that accepted the connection, {@code PLAINTEXT} for instance. */
  public String listenerName() {
    return connection.listenerName();
  }
}
