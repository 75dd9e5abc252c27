package io.weirmq.testkit.time;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * A scheduler with one thread of its own, in real time. Safe for use by several threads.
 *
 * <p>After {@link #close()} tasks are dropped.
 */
public final class ThreadScheduler implements TaskScheduler, AutoCloseable {

  private static final long WAIT_SECONDS = 10;

  private final LongSupplier nanoClock;
  private final ScheduledThreadPoolExecutor executor;

  /**
   * Starts a scheduler.
   *
   * @param nanoClock monotonic time in nanoseconds
   * @param threads makes its thread
   */
  public ThreadScheduler(LongSupplier nanoClock, ThreadFactory threads) {
    this.nanoClock = nanoClock;
    this.executor = new ScheduledThreadPoolExecutor(1, threads);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  @Override
  public void execute(Runnable task) {
    schedule(Duration.ZERO, task);
  }

  @Override
  public void schedule(Duration delay, Runnable task) {
    try {
      executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      if (!executor.isShutdown()) {
        throw e;
      }
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException where the task does not end within {@value #WAIT_SECONDS} s
   */
  @Override
  public void runAndWait(Runnable task) {
    try {
      executor.submit(task).get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (RejectedExecutionException e) {
      // The thread has ended, so nothing can run beside the task.
      task.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("a task failed or did not end", e);
    }
  }

  /** Ends the thread after the task that is under way. */
  @Override
  public void close() {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a task did not end within " + WAIT_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
