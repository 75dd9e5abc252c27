package io.weirmq.transport.shm.internal;

import java.io.IOException;

/** A frame that is longer than we take. Immutable. */
final class FrameLengthException extends IOException {

  private static final long serialVersionUID = 1L;

  FrameLengthException(int claimedBytes, int limitBytes) {
    super("frame length %d is outside 0..%d".formatted(claimedBytes, limitBytes));
  }
}
