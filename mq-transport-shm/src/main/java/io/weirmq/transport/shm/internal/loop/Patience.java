package io.weirmq.transport.shm.internal.loop;

import java.util.function.LongSupplier;

/**
 * How long a member is looked at before it is asked to rest, learned from how long it had nothing
 * to do so far.
 *
 * <p>To look on costs processor time until work comes, to rest costs a wake-up on both sides. So
 * looking pays while work tends to come sooner than a wake-up takes, as an adaptive mutex spins
 * while its owner tends to let go soon. What is kept is the wait that is expected, a moving average
 * over waits that ended in work, whether that came during the look or woke the member:
 *
 * <pre>
 *   expected wait              a look takes
 *   up to WORTH_NS             LONG_TURNS      some 50 µs
 *   above                      SHORT_TURNS     some 2 µs
 *   above, one of
 *   RESTS_PER_PROBE times      PROBE_TURNS     some 200 µs
 * </pre>
 *
 * <p>The probe is for two peers that answer each other at once and both rest between: each finds
 * that the other is slow, for it has to be woken. One that looks long enough to see the other
 * answer finds that it isn't, and so does the other.
 *
 * <p>A look is counted in turns of the loop, and most waits end before the clock is read at all: it
 * is read once where a wait is longer than the short look, and once more where that wait ends.
 *
 * <p>Confined to the thread of its loop.
 */
public final class Patience {

  /** Turns of a look that is expected to pay: some fifty microseconds where nobody else runs. */
  static final int LONG_TURNS = 160;

  /** Turns of a look that is not. A wait that ends within them counts as none. */
  static final int SHORT_TURNS = 8;

  /** Turns of a probe: so many that a peer at rest is woken and answers. */
  static final int PROBE_TURNS = 640;

  /** Of so many rests one comes after a probe. */
  static final int RESTS_PER_PROBE = 256;

  /** Longest expected wait for which to look on, in nanoseconds: about what a wake-up takes. */
  static final int WORTH_NS = 25_000;

  /** A longer wait counts as this one, in nanoseconds, so that a single one is soon forgotten. */
  static final int WAIT_NS_MAX = 50_000;

  /** The newest wait is one of so many, as a power of two. */
  private static final int WEIGHT_SHIFT = 4;

  private final LongSupplier nanoClock;
  private final boolean learns;

  /** Nanoseconds, times the weight. */
  private int expected;

  private int lookTurns = LONG_TURNS;
  private int restsUnprobed;
  private boolean resting;
  private long waitsSinceNs;

  private Patience(LongSupplier nanoClock, boolean learns) {
    this.nanoClock = nanoClock;
    this.learns = learns;
  }

  /** Returns one that begins with the expectation that work comes at once, and learns. */
  static Patience learning(LongSupplier nanoClock) {
    return new Patience(nanoClock, true);
  }

  /** Returns one that stays with the long look, and never reads a clock. */
  static Patience fixed() {
    return new Patience(() -> 0, false);
  }

  /**
   * Whether it is time for a rest. Asked after each turn without work.
   *
   * @param quietTurns turns without work so far, one after the other
   */
  boolean isOver(int quietTurns) {
    if (quietTurns == SHORT_TURNS && learns) {
      waitsSinceNs = nanoClock.getAsLong();
    }
    return quietTurns >= lookTurns;
  }

  /**
   * Work came during the look.
   *
   * @param quietTurns turns without work before it, 1 or more
   */
  void found(int quietTurns) {
    if (learns) {
      learn(quietTurns < SHORT_TURNS ? 0 : nanoClock.getAsLong() - waitsSinceNs);
    }
  }

  /** The member rests from now on. */
  void rests() {
    resting = learns;
  }

  /** The member is woken, as there may be work. */
  void woken() {
    if (resting) {
      resting = false;
      restsUnprobed++;
      learn(nanoClock.getAsLong() - waitsSinceNs);
    }
  }

  /** The member is woken though nothing has come: how long that will take is not known. */
  void disturbed() {
    resting = false;
  }

  private void learn(long waitedNs) {
    expected += (int) Math.min(WAIT_NS_MAX, waitedNs) - (expected >> WEIGHT_SHIFT);
    if (expected >> WEIGHT_SHIFT <= WORTH_NS) {
      lookTurns = LONG_TURNS;
    } else if (restsUnprobed >= RESTS_PER_PROBE) {
      restsUnprobed = 0;
      lookTurns = PROBE_TURNS;
    } else {
      lookTurns = SHORT_TURNS;
    }
  }
}
