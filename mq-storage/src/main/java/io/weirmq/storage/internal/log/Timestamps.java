package io.weirmq.storage.internal.log;

/**
 * Which record timestamps segment age and retention believe.
 *
 * <p>Clients may send any time. Two kinds are known to be mistakes and would keep a segment for
 * ever, or throw it away at once:
 *
 * <ul>
 *   <li>times more than an hour ahead of the clock: microseconds for milliseconds, a wrong clock,
 *       the year 2286
 *   <li>times before March 1973: seconds for milliseconds, or no time at all
 * </ul>
 *
 * <p>Where a segment's timestamp isn't believed, the time at which its file was written last counts
 * in its place. Lookups by time are not concerned: they believe everything.
 */
final class Timestamps {

  /** How far ahead of the clock a time is believed, in milliseconds. */
  static final long AHEAD_MAX_MS = 60L * 60 * 1000;

  /** The earliest time that is believed: 100,000,000,000 ms, 3 March 1973. In seconds: 5138 AD. */
  static final long EARLIEST_MS = 100_000_000_000L;

  private Timestamps() {}

  static boolean isBelievable(long timestampMs, long nowMs) {
    return timestampMs >= EARLIEST_MS && timestampMs <= nowMs + AHEAD_MAX_MS;
  }
}
