package io.weirmq.client.ipc;

import java.time.Duration;

/**
 * The pauses between attempts that fail one after the other: each twice as long as the one before,
 * up to a second. Safe for use by several threads.
 */
final class Backoff {

  /** The longest pause, unless the first one is longer. */
  static final Duration PAUSE_MAX = Duration.ofSeconds(1);

  private final long firstNs;
  private final long maxNs;

  /** Guarded by this. */
  private long nextNs;

  Backoff(Duration first) {
    this.firstNs = Nanos.of(first);
    this.maxNs = Math.max(firstNs, PAUSE_MAX.toNanos());
    this.nextNs = firstNs;
  }

  /** The pause before the next attempt, in nanoseconds. */
  synchronized long nextNs() {
    long pause = nextNs;
    nextNs = Math.min(maxNs, 2 * pause);
    return pause;
  }

  /** An attempt has succeeded. */
  synchronized void reset() {
    nextNs = firstNs;
  }
}
