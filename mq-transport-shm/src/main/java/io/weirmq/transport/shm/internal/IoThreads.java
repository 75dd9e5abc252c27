package io.weirmq.transport.shm.internal;

import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a transport: one that shakes hands, and those that serve connections; or a single
 * loop for both that callers poll. Safe for use by several threads.
 */
final class IoThreads {

  private static final Logger LOG = LoggerFactory.getLogger(IoThreads.class);

  /**
   * How long a poll may sleep while something is waited for, which nearly always ends it sooner.
   */
  private static final long POLL_MILLIS = 10;

  private final LongSupplier nanoClock;
  private final IoThread handshakes;
  private final List<IoThread> serving;
  private final AtomicInteger next = new AtomicInteger();

  private IoThreads(LongSupplier nanoClock, IoThread handshakes, List<IoThread> serving) {
    this.nanoClock = nanoClock;
    this.handshakes = handshakes;
    this.serving = List.copyOf(serving);
  }

  /**
   * Makes the threads, which run from then on.
   *
   * @throws IOException where the system gives no selector
   */
  static IoThreads start(TransportOptions options, ShmOptions shmOptions, Environment environment)
      throws IOException {
    String prefix = options.threadNamePrefix();
    List<IoThread> threads = new ArrayList<>();
    for (int i = 0; i <= options.ioThreads(); i++) {
      EventLoop loop = EventLoop.open(environment.nanoClock(), shmOptions.waitStrategy());
      threads.add(IoThread.create(loop, prefix + (i == 0 ? "-handshake" : "-" + (i - 1))));
    }
    threads.forEach(each -> each.thread().ifPresent(Thread::start));
    return new IoThreads(
        environment.nanoClock(), threads.get(0), threads.subList(1, threads.size()));
  }

  /**
   * Makes the one loop that callers poll.
   *
   * @throws IOException where the system gives no selector
   */
  static IoThreads polled(ShmOptions shmOptions, Environment environment) throws IOException {
    IoThread one =
        IoThread.polled(EventLoop.open(environment.nanoClock(), shmOptions.waitStrategy()));
    return new IoThreads(environment.nanoClock(), one, List.of(one));
  }

  /** The loop of the handshakes. */
  EventLoop handshakes() {
    return handshakes.loop();
  }

  /** The thread for the next connection: each in turn. */
  IoThread next() {
    return serving.get(Math.floorMod(next.getAndIncrement(), serving.size()));
  }

  /** Whether the calling thread is one of these. */
  boolean isCurrent() {
    return handshakes.loop().isCurrent()
        || serving.stream().anyMatch(each -> each.loop().isCurrent());
  }

  /**
   * Waits for something that happens on these threads. A loop that nobody polls is run meanwhile.
   * An interrupt does not end the wait, which has a bound anyway; it is set again afterwards.
   *
   * @return whether it has happened in time, well or not
   */
  boolean await(CompletableFuture<?> end, long millis) {
    return untilDone(
        millis,
        leftMillis -> {
          try {
            awaitOnce(end, leftMillis);
            return true;
          } catch (ExecutionException e) {
            return true;
          } catch (TimeoutException e) {
            return false;
          }
        });
  }

  /** A wait for as long as it is told, that may be interrupted. */
  private interface Wait {
    boolean isDoneWithin(long millis) throws InterruptedException;
  }

  private boolean untilDone(long millis, Wait wait) {
    long endNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    long leftMillis = millis;
    try {
      while (true) {
        try {
          return wait.isDoneWithin(leftMillis);
        } catch (InterruptedException e) {
          interrupted = true;
          leftMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - nanoClock.getAsLong()));
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void awaitOnce(CompletableFuture<?> end, long millis)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (handshakes.thread().isEmpty()) {
      long endNanos = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (!isDoneAfterPoll(end)) {
        if (nanoClock.getAsLong() - endNanos >= 0) {
          throw new TimeoutException();
        }
      }
    } else {
      end.get(millis, TimeUnit.MILLISECONDS);
    }
  }

  private boolean isDoneAfterPoll(CompletableFuture<?> end)
      throws InterruptedException, ExecutionException {
    if (!end.isDone() && handshakes.loop().pollIfFree(POLL_MILLIS)) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return end.isDone();
    }
    try {
      end.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false; // somebody else polls
    }
  }

  /** Whether all threads that serve are blocked in their selectors. */
  boolean isAsleep() {
    return serving.stream().allMatch(each -> each.loop().isAsleep());
  }

  /** How often threads that serve have gone to sleep. */
  long sleepCount() {
    return serving.stream().mapToLong(each -> each.loop().sleepCount()).sum();
  }

  /** Ends the thread of the handshakes, so that no connection is handed over any more. */
  void stopHandshakes(long waitMillis) {
    if (handshakes.thread().isPresent()) {
      stop(handshakes, waitMillis);
    } else {
      handshakes.loop().pollIfFree(0); // those that are under way have been cancelled, by tasks
    }
  }

  /** Ends the threads that serve. */
  void stopServing(long waitMillis) {
    serving.forEach(each -> stop(each, waitMillis));
  }

  private void stop(IoThread stopped, long waitMillis) {
    stopped.loop().stop();
    if (stopped.thread().isEmpty()) {
      stopped.loop().closeIfFree();
      return;
    }
    Thread thread = stopped.thread().get();
    boolean ended =
        untilDone(
            waitMillis,
            leftMillis -> {
              thread.join(leftMillis);
              return !thread.isAlive();
            });
    if (!ended) {
      LOG.warn("thread {} has not ended within {} ms", thread.getName(), waitMillis);
    }
  }
}
