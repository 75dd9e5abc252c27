package io.weirmq.transport.shm.internal.ring;

import java.io.IOException;

/** The peer has written into the shared memory what no peer writes. The connection must end. */
public final class RingViolationException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Makes the exception; the message says where, what was found and what expected. */
  public RingViolationException(String message) {
    super(message);
  }
}
