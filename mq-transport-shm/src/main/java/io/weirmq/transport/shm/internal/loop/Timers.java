package io.weirmq.transport.shm.internal.loop;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tasks to run at a time, by a monotonic clock. Confined to the thread of its loop. */
final class Timers {

  /** Cancelled timers that may lie around before they are looked for. */
  private static final int CANCELLED_MIN = 64;

  /** One task; runs once, unless it was cancelled before. */
  private final class Entry implements Timer, Comparable<Entry> {

    private final long dueNanos;
    private @Nullable Runnable task;

    private Entry(long dueNanos, Runnable task) {
      this.dueNanos = dueNanos;
      this.task = task;
    }

    @Override
    public void cancel() {
      if (task != null) {
        task = null;
        cancelled++;
        sweep();
      }
    }

    @Override
    public int compareTo(Entry other) {
      return Long.signum(dueNanos - other.dueNanos);
    }
  }

  private final LongSupplier nanoClock;
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private int cancelled;

  Timers(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  Timer schedule(long delayNanos, Runnable task) {
    Entry entry = new Entry(nanoClock.getAsLong() + delayNanos, task);
    entries.add(entry);
    return entry;
  }

  /** Milliseconds until the next task, at least 1; 0 where there is none. */
  long millisUntilNext() {
    Entry next = entries.peek();
    if (next == null) {
      return 0;
    }
    long nanos = next.dueNanos - nanoClock.getAsLong();
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
  }

  /**
   * Runs what is due.
   *
   * @return the number of tasks
   */
  int runDue() {
    if (entries.isEmpty()) {
      return 0;
    }
    int count = 0;
    long now = nanoClock.getAsLong();
    Entry next;
    while ((next = entries.peek()) != null && next.dueNanos - now <= 0) {
      entries.poll();
      Runnable task = next.task;
      if (task == null) {
        cancelled--;
      } else {
        next.task = null;
        count++;
        task.run();
      }
    }
    return count;
  }

  private void sweep() {
    if (cancelled > CANCELLED_MIN && cancelled > entries.size() / 2) {
      entries.removeIf(entry -> entry.task == null);
      cancelled = 0;
    }
  }
}
