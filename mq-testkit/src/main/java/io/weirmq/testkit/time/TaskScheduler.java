package io.weirmq.testkit.time;

import java.time.Duration;

/**
 * Runs tasks one at a time, now or later. Safe for use by several threads.
 *
 * <p>Tasks that are due at the same time run in the order in which they were given.
 */
public interface TaskScheduler {

  /** The monotonic time of this scheduler in nanoseconds. */
  long nanoTime();

  /** Runs a task after those that are due already; never inside this call. */
  void execute(Runnable task);

  /**
   * Runs a task later; never inside this call.
   *
   * @param delay zero or more
   */
  void schedule(Duration delay, Runnable task);

  /**
   * Runs a task to its end before this returns, and not beside another task of this scheduler: in
   * the scheduler's thread, or in the calling one where a test steps it. Not to be called from a
   * task.
   */
  void runAndWait(Runnable task);
}
