package io.weirmq.server.internal.request;

import io.weirmq.transport.Peer;

/**
 * Who a client is, as far as its transport has proved it; what an authorizer decides by. Immutable.
 *
 * @param type kind of name, {@code User}
 * @param name the name; {@code ANONYMOUS} where nothing is proved
 */
public record Principal(String type, String name) {

  private static final String USER = "User";

  /** Whoever comes without a proof, as over plain TCP. */
  public static final Principal ANONYMOUS = new Principal(USER, "ANONYMOUS");

  /**
   * Returns who a peer is: the subject of its certificate, else its user on this host, which is a
   * number where the system has no name for it.
   */
  public static Principal of(Peer peer) {
    String subject = peer.tlsSubject();
    if (subject != null) {
      return new Principal(USER, subject);
    }
    Peer.UnixUser user = peer.unixUser();
    return user == null ? ANONYMOUS : new Principal(USER, user.user());
  }

  /** The form that Kafka's tools write: {@code User:alice}. */
  @Override
  public String toString() {
    return type + ":" + name;
  }
}
