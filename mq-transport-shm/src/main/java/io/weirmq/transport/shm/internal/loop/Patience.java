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
 *   up to WORTH_NS             SHORT_TURNS, then LONG_NS
 *   above                      SHORT_TURNS     some 2 µs
 *   above, one of
 *   RESTS_PER_PROBE times      SHORT_TURNS, then PROBE_NS
 * </pre>
 *
 * <p>The probe is for two peers that answer each other at once and both rest between: each finds
 * that the other is slow, for it has to be woken. One that looks long enough to see the other
 * answer finds that it isn't, and so does the other.
 *
 * <p>The short look is counted in turns of the loop, and most waits end in it, before the clock is
 * read at all. What comes after is limited by the clock, for a turn may yield, and where other
 * threads want the core a yield takes as long as the system lets them have it: 4 ms in one of ten
 * beside a busy thread on Linux 6.18, where the peer waits meanwhile for a thread that only looks.
 *
 * <p>Confined to the thread of its loop.
 */
public final class Patience {

  /** Turns of a look that is not expected to pay. A wait that ends within them counts as none. */
  static final int SHORT_TURNS = 8;

  /** How long a look goes on that is expected to pay, in nanoseconds. */
  static final int LONG_NS = 50_000;

  /** How long a probe goes on, in nanoseconds: so long that a peer at rest is woken and answers. */
  static final int PROBE_NS = 200_000;

  /** Turns of a look where nothing is learned. */
  static final int FIXED_TURNS = 160;

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

  /** How long a look goes on behind the short one, in nanoseconds. */
  private int lookNs = LONG_NS;

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

  /** Returns one whose looks have {@link #FIXED_TURNS}, and that never reads a clock. */
  static Patience fixed() {
    return new Patience(() -> 0, false);
  }

  /**
   * Whether it is time for a rest. Asked after each turn without work.
   *
   * @param quietTurns turns without work so far, one after the other
   */
  boolean isOver(int quietTurns) {
    if (!learns) {
      return quietTurns >= FIXED_TURNS;
    }
    if (quietTurns < SHORT_TURNS) {
      return false;
    }
    long nowNs = nanoClock.getAsLong();
    if (quietTurns == SHORT_TURNS) {
      waitsSinceNs = nowNs;
    }
    return nowNs - waitsSinceNs >= lookNs;
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
      lookNs = LONG_NS;
    } else if (restsUnprobed >= RESTS_PER_PROBE) {
      restsUnprobed = 0;
      lookNs = PROBE_NS;
    } else {
      lookNs = 0;
    }
  }
}
