package io.weirmq.testkit.time;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler without threads: tasks run inside the calls of a test, in virtual time.
 *
 * <p>The order is a function of the calls alone, so a run can be repeated exactly. Tasks may be
 * given from any thread; the methods that run them belong to one thread at a time, and must not be
 * called from a task.
 */
public final class SteppedScheduler implements TaskScheduler {

  private record Entry(long dueNanos, long sequence, Runnable task) {}

  private final VirtualClock clock;
  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(
          Comparator.comparingLong(Entry::dueNanos).thenComparingLong(Entry::sequence));
  private long nextSequence;

  /** Makes a scheduler that runs in the time of the given clock and moves it. */
  public SteppedScheduler(VirtualClock clock) {
    this.clock = clock;
  }

  @Override
  public long nanoTime() {
    return clock.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    schedule(Duration.ZERO, task);
  }

  @Override
  public void schedule(Duration delay, Runnable task) {
    synchronized (entries) {
      entries.add(new Entry(clock.nanoTime() + Math.max(0, delay.toNanos()), nextSequence++, task));
    }
  }

  @Override
  public void runAndWait(Runnable task) {
    task.run();
  }

  /**
   * Runs the next task that is due now.
   *
   * @return false where none is
   */
  public boolean runNext() {
    Entry next = pollDue(clock.nanoTime());
    if (next == null) {
      return false;
    }
    next.task().run();
    return true;
  }

  /**
   * Runs all that is due now, and what becomes due by it, without moving the clock.
   *
   * @return the number of tasks run
   */
  public int runDue() {
    int count = 0;
    while (runNext()) {
      count++;
    }
    return count;
  }

  /** Moves both clocks forward, from task to task, and runs each at its time. */
  public void advance(Duration step) {
    long end = clock.nanoTime() + step.toNanos();
    runDue();
    Entry next;
    while ((next = pollDue(end)) != null) {
      clock.advance(Duration.ofNanos(Math.max(0, next.dueNanos() - clock.nanoTime())));
      next.task().run();
    }
    clock.advance(Duration.ofNanos(end - clock.nanoTime()));
  }

  /** The number of tasks that wait, due or not. */
  public int size() {
    synchronized (entries) {
      return entries.size();
    }
  }

  private @Nullable Entry pollDue(long nanos) {
    synchronized (entries) {
      Entry head = entries.peek();
      return head != null && head.dueNanos() <= nanos ? entries.poll() : null;
    }
  }
}
