package io.weirmq.transport.netty.internal;

import java.io.IOException;

/** A length prefix that no frame of ours can have. Immutable. */
final class FrameLengthException extends IOException {

  private final int claimedBytes;
  private final int limitBytes;

  FrameLengthException(int claimedBytes, int limitBytes) {
    super(
        "frame length %d is outside 0..%d%s"
            .formatted(claimedBytes, limitBytes, hint(claimedBytes)));
    this.claimedBytes = claimedBytes;
    this.limitBytes = limitBytes;
  }

  /** The length as the peer claimed it. */
  int claimedBytes() {
    return claimedBytes;
  }

  /** The largest length allowed. */
  int limitBytes() {
    return limitBytes;
  }

  /** Names the protocol whose first four bytes these are, as an operator will ask for it. */
  private static String hint(int firstBytes) {
    return switch (firstBytes) {
      case 0x47455420, 0x504f5354, 0x48454144, 0x50555420, 0x4f505449 -> " (looks like HTTP)";
      default -> firstBytes >>> 16 == 0x1603 ? " (looks like a TLS hello)" : "";
    };
  }
}
