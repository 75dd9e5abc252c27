package io.weirmq.transport.shm.internal;

import java.util.concurrent.atomic.LongAdder;

/**
 * How often connections of one owner waited for their peers, or woke them. None of it is on the way
 * of a frame that finds room and a peer that looks. Safe for use by several threads.
 */
final class WaitCounters {

  private final LongAdder ringFull = new LongAdder();
  private final LongAdder bells = new LongAdder();

  /** A connection goes to rest with something to send, as its ring has no room. */
  void ringIsFull() {
    ringFull.increment();
  }

  /** A peer that sleeps is woken. */
  void bellRings() {
    bells.increment();
  }

  long ringFullCount() {
    return ringFull.sum();
  }

  long bellCount() {
    return bells.sum();
  }
}
