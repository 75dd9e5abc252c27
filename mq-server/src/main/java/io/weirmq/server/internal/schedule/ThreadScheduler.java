package io.weirmq.server.internal.schedule;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheduler with one thread of its own. Safe for use by several threads.
 *
 * <p>After {@link #close()} nothing runs any more and new tasks are dropped.
 */
public final class ThreadScheduler implements Scheduler, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ThreadScheduler.class);
  private static final Scheduled NEVER = () -> {};
  private static final long STOP_TIMEOUT_MS = 10_000;

  private final ScheduledThreadPoolExecutor executor;
  private final Consumer<Throwable> onFatal;

  /**
   * Starts a scheduler.
   *
   * @param threads makes the one thread
   * @param onFatal told of an {@link Error} out of a task
   */
  public ThreadScheduler(ThreadFactory threads, Consumer<Throwable> onFatal) {
    this.executor = new ScheduledThreadPoolExecutor(1, threads);
    this.executor.setRemoveOnCancelPolicy(true);
    this.onFatal = onFatal;
  }

  @Override
  public Scheduled schedule(long delayMs, Runnable task) {
    try {
      Future<?> future =
          executor.schedule(() -> runGuarded(task), Math.max(0, delayMs), TimeUnit.MILLISECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closed) {
      // Only a closed scheduler refuses; what waits then is ended by its owner's own close.
      return NEVER;
    }
  }

  private void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("Scheduled task {} failed; later tasks still run", task, e);
    } catch (Error e) {
      onFatal.accept(e);
      throw e;
    }
  }

  /** Drops what waits, lets the running task end, and returns when the thread has ended. */
  @Override
  public void close() {
    executor.shutdownNow();
    try {
      if (!executor.awaitTermination(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("The scheduler's thread still runs {} ms after it was stopped", STOP_TIMEOUT_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
