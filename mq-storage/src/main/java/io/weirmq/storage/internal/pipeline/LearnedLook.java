package io.weirmq.storage.internal.pipeline;

/**
 * How long to look for work before a sleep, learned from how long it took to come so far: long
 * where looking tends to find it before a wake-up would have, hardly at all where it doesn't.
 *
 * <p>Confined to one thread.
 */
final class LearnedLook {

  /** Time of a look that is expected to pay, in nanoseconds. */
  static final int LONG_NS = 50_000;

  /** Time of a look that is not. */
  static final int SHORT_NS = 2_000;

  /** Longest expected wait for which to look on: about what a wake-up takes. */
  static final int WORTH_NS = 25_000;

  /** A longer wait counts as this one, so that a single one is soon forgotten. */
  static final int WAIT_NS_MAX = 50_000;

  /** The newest wait is one of so many, as a power of two. */
  private static final int WEIGHT_SHIFT = 4;

  /** Nanoseconds, times the weight. */
  private int expected = WAIT_NS_MAX << WEIGHT_SHIFT;

  /** How long to look now, in nanoseconds. */
  int lookNs() {
    return expected >> WEIGHT_SHIFT <= WORTH_NS ? LONG_NS : SHORT_NS;
  }

  /** Work has come after a wait, whether that was looking or sleep. */
  void learn(long waitedNs) {
    expected += (int) Math.min(WAIT_NS_MAX, waitedNs) - (expected >> WEIGHT_SHIFT);
  }
}
