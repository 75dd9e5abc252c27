package io.weirmq.server.internal.broker;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the named threads of a broker. Safe for use by several threads. */
public final class BrokerThreads {

  private static final Logger LOG = LoggerFactory.getLogger(BrokerThreads.class);
  private static final long STOP_TIMEOUT_MS = 30_000;

  private final FatalErrors fatalErrors;

  /** Makes a source of threads whose uncaught exceptions are fatal. */
  public BrokerThreads(FatalErrors fatalErrors) {
    this.fatalErrors = fatalErrors;
  }

  /** Returns a factory of one or more threads of a role, {@code mq-append} for instance. */
  public ThreadFactory named(String role) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      int number = count.getAndIncrement();
      Thread thread = new Thread(task, number == 0 ? role : role + "-" + number);
      // The application's own threads decide how long the process lives.
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler(fatalErrors);
      return thread;
    };
  }

  /**
   * Returns an executor that runs tasks one after the other on one thread. An exception out of a
   * task is logged and ends this task only; an {@link Error} is fatal.
   */
  public SingleThread singleThread(String role) {
    return new SingleThread(role, named(role));
  }

  /** One thread that runs tasks in the order given. Safe for use by several threads. */
  public final class SingleThread implements java.util.concurrent.Executor, AutoCloseable {

    private final String role;
    private final ExecutorService executor;
    private volatile @Nullable Thread newest;

    private SingleThread(String role, ThreadFactory threads) {
      this.role = role;
      this.executor =
          new ThreadPoolExecutor(
              1,
              1,
              0,
              TimeUnit.MILLISECONDS,
              new LinkedBlockingQueue<>(),
              task -> made(threads, task));
    }

    private Thread made(ThreadFactory threads, Runnable task) {
      Thread thread = threads.newThread(task);
      newest = thread;
      return thread;
    }

    @Override
    public void execute(Runnable task) {
      executor.execute(() -> run(task));
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.error("Task on {} failed; the thread goes on", role, e);
      } catch (Error e) {
        fatalErrors.report("thread " + role, e);
        throw e;
      }
    }

    /** Takes no further task, lets the queued ones run, and returns when the thread has ended. */
    @Override
    public void close() {
      executor.shutdown();
      try {
        if (!executor.awaitTermination(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
          LOG.warn("{} still runs {} ms after it was stopped; interrupted", role, STOP_TIMEOUT_MS);
          executor.shutdownNow();
          return;
        }
        // The executor counts as ended a moment before its thread does.
        Thread last = newest;
        if (last != null) {
          last.join(STOP_TIMEOUT_MS);
        }
      } catch (InterruptedException e) {
        executor.shutdownNow();
        Thread.currentThread().interrupt();
      }
    }
  }
}
