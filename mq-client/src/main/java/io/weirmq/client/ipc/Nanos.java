package io.weirmq.client.ipc;

import java.time.Duration;

/** Times as nanoseconds that can be added to each other and to a reading of a clock. Stateless. */
final class Nanos {

  /** Some 73 years, which stand for ever. */
  private static final long MAX = Long.MAX_VALUE / 4;

  private Nanos() {}

  /** Returns a duration in nanoseconds; one of more than 73 years counts as 73. */
  static long of(Duration duration) {
    return duration.toSeconds() >= MAX / 1_000_000_000 ? MAX : duration.toNanos();
  }
}
