package io.weirmq.storage.internal.pipeline;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Looks for a while that {@link LearnedLook} tells, most of it yielding, then sleeps. A publisher
 * takes the lock only where the writer sleeps.
 *
 * <p>For one waiting thread and any number of publishers. No wake-up is lost: the writer sets the
 * flag and then looks at the cursor, a publisher moves the cursor and then looks at the flag, with
 * full fences between.
 */
final class AdaptiveWaitStrategy implements WaitStrategy {

  /** Turns that spin, before the first look at the clock. */
  private static final int SPIN_TURNS = 20;

  private final LongSupplier nanoClock;
  private final LearnedLook look = new LearnedLook();
  private final Lock lock = new ReentrantLock();
  private final Condition published = lock.newCondition();
  private final AtomicBoolean asleep = new AtomicBoolean();

  AdaptiveWaitStrategy(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  @Override
  public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
      throws AlertException, InterruptedException {
    if (cursor.get() < sequence) {
      long sinceNs = nanoClock.getAsLong();
      if (!isSeen(sequence, cursor, barrier, sinceNs)) {
        sleep(sequence, cursor, barrier);
      }
      look.learn(nanoClock.getAsLong() - sinceNs);
    }
    long available;
    while ((available = dependent.get()) < sequence) {
      barrier.checkAlert();
      Thread.onSpinWait();
    }
    return available;
  }

  @SuppressWarnings("ThreadPriorityCheck") // publishers may need this core
  private boolean isSeen(long sequence, Sequence cursor, SequenceBarrier barrier, long sinceNs)
      throws AlertException {
    int lookNs = look.lookNs();
    for (int turn = 0; cursor.get() < sequence; turn++) {
      barrier.checkAlert();
      if (turn < SPIN_TURNS) {
        Thread.onSpinWait();
      } else if (nanoClock.getAsLong() - sinceNs < lookNs) {
        Thread.yield();
      } else {
        return false;
      }
    }
    return true;
  }

  private void sleep(long sequence, Sequence cursor, SequenceBarrier barrier)
      throws AlertException, InterruptedException {
    lock.lock();
    try {
      asleep.set(true);
      while (cursor.get() < sequence) {
        barrier.checkAlert();
        published.await();
        asleep.set(true);
      }
    } finally {
      asleep.set(false);
      lock.unlock();
    }
  }

  @Override
  public void signalAllWhenBlocking() {
    if (asleep.getAndSet(false)) {
      lock.lock();
      try {
        published.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
