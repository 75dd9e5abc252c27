package io.weirmq.transport.shm.internal.handshake;

import org.jspecify.annotations.Nullable;

/** Decides who comes in, and takes those who did. Called on the handshake thread. */
public interface Gate {

  /**
   * Takes a place for a peer, before anything is set up for it.
   *
   * @param user name of the peer's user
   * @return null where there was a place, else the reason to refuse; it is counted
   */
  @Nullable String admit(String user);

  /** Gives the place of a handshake back that led to nothing. */
  void giveBack(String user);

  /**
   * Takes a connection over.
   *
   * @param established transferred, with the place that its user has
   */
  void established(Established established);

  /** Hears of a peer that was turned away, or did not get through the handshake. */
  void failed(String reason);
}
