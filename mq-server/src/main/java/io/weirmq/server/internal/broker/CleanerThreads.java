package io.weirmq.server.internal.broker;

import io.weirmq.replication.LogCleaning;
import io.weirmq.server.config.CleanerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that compact logs. Each compacts one log after the other, and waits where none needs
 * it. No exception ends one; an {@link Error} is fatal to the broker, as on every other thread.
 */
final class CleanerThreads implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CleanerThreads.class);
  private static final long STOP_TIMEOUT_MS = 30_000;

  private final LogCleaning cleaning;
  private final Duration backoff;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();

  private CleanerThreads(LogCleaning cleaning, Duration backoff) {
    this.cleaning = cleaning;
    this.backoff = backoff;
  }

  static CleanerThreads start(
      CleanerSettings settings, LogCleaning cleaning, ThreadFactory factory) {
    CleanerThreads started = new CleanerThreads(cleaning, settings.backoff());
    for (int i = 0; i < settings.threads(); i++) {
      started.threads.add(factory.newThread(started::run));
    }
    started.threads.forEach(Thread::start);
    return started;
  }

  private void run() {
    try {
      while (!isStopping()) {
        if (!cleanOne() && stop.await(backoff.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      // Only close() has a hold of the thread.
      Thread.currentThread().interrupt();
    }
  }

  private boolean cleanOne() {
    try {
      return cleaning.cleanOne(this::isStopping);
    } catch (RuntimeException e) {
      LOG.error("Compaction failed; the thread goes on", e);
      return false;
    }
  }

  private boolean isStopping() {
    return stop.getCount() == 0;
  }

  /** Threads that have ended although nobody stopped them. */
  int deadCount() {
    return isStopping() ? 0 : (int) threads.stream().filter(thread -> !thread.isAlive()).count();
  }

  /** Ends runs under way and returns when the threads have ended. */
  @Override
  public void close() {
    stop.countDown();
    try {
      for (Thread thread : threads) {
        thread.join(STOP_TIMEOUT_MS);
        if (thread.isAlive()) {
          LOG.warn(
              "{} still runs {} ms after it was stopped; interrupted",
              thread.getName(),
              STOP_TIMEOUT_MS);
          thread.interrupt();
        }
      }
    } catch (InterruptedException e) {
      threads.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
  }
}
