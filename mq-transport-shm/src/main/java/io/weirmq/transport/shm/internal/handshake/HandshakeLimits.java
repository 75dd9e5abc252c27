package io.weirmq.transport.shm.internal.handshake;

import java.time.Duration;

/**
 * Bounds of the time before a connection is open. Immutable.
 *
 * @param underWayMax handshakes of a listener at a time; above it the oldest gives way, for an
 *     honest one takes a millisecond and the oldest is the one that says nothing
 * @param timeout how long a handshake may take, on either side
 */
public record HandshakeLimits(int underWayMax, Duration timeout) {

  /** Returns the limits that are used but in tests. */
  public static HandshakeLimits defaults() {
    return new HandshakeLimits(128, Duration.ofSeconds(5));
  }
}
