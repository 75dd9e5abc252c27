package io.weirmq.server.internal.schedule;

/**
 * Runs tasks later, by the monotonic clock: a wall clock that jumps moves no deadline. Safe for use
 * by several threads.
 *
 * <p>Tasks run one after the other on the scheduler's thread and must not block; what takes longer
 * hands itself to a thread of its own.
 */
public interface Scheduler {

  /**
   * Runs a task once.
   *
   * @param delayMs milliseconds from now; zero or less means as soon as possible
   * @param task an exception out of it is logged and ends this task only
   * @return a handle to call the task off
   */
  Scheduled schedule(long delayMs, Runnable task);

  /** A task that waits for its time. Safe for use by several threads. */
  interface Scheduled {

    /** Calls the task off; does nothing where it has begun or was called off before. */
    void cancel();
  }
}
