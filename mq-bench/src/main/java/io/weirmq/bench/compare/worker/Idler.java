package io.weirmq.bench.compare.worker;

import java.util.concurrent.locks.LockSupport;

/** Waits in loops that found no work. Stateless. */
public enum Idler {

  /** Looks again at once. */
  SPIN {
    @Override
    public void idle(int workCount) {
      if (workCount == 0) {
        Thread.onSpinWait();
      }
    }
  },

  /** Lets others run. */
  YIELD {
    @Override
    @SuppressWarnings("ThreadPriorityCheck") // that is what this one is for
    public void idle(int workCount) {
      if (workCount == 0) {
        Thread.yield();
      }
    }
  },

  /** Sleeps, some fifty microseconds by the timer of the system. */
  PARK {
    @Override
    public void idle(int workCount) {
      if (workCount == 0) {
        LockSupport.parkNanos(PARK_NS);
      }
    }
  };

  private static final long PARK_NS = 20_000;

  /** Waits unless work was done. */
  public abstract void idle(int workCount);
}
