package io.weirmq.bench.compare;

/** How a sender waits until the next message is due. The same for all contestants of a scenario. */
public enum Pacing {

  /** Nothing is ever due: the next message follows at once, or when the answer is there. */
  NONE,

  /** Gives its core to others between two looks at the clock: exact where a core is free. */
  YIELD,

  /**
   * Sleeps some fifty microseconds, then sends what has become due: costs little processor time,
   * and that much latency, which counts.
   */
  PARK
}
