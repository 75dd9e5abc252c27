package io.weirmq.transport.shm.internal;

import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.shm.ShmOptions;
import io.weirmq.transport.shm.internal.loop.EventLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a transport: one that shakes hands, and those that serve connections. Safe for use
 * by several threads.
 */
final class IoThreads {

  private final IoThread handshakes;
  private final List<IoThread> serving;
  private final AtomicInteger next = new AtomicInteger();

  private IoThreads(IoThread handshakes, List<IoThread> serving) {
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
    threads.forEach(each -> each.thread().start());
    return new IoThreads(threads.get(0), threads.subList(1, threads.size()));
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
    Thread current = Thread.currentThread();
    return current == handshakes.thread()
        || serving.stream().anyMatch(each -> each.thread() == current);
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
    stop(handshakes, waitMillis);
  }

  /** Ends the threads that serve. */
  void stopServing(long waitMillis) {
    serving.forEach(each -> stop(each, waitMillis));
  }

  private static void stop(IoThread thread, long waitMillis) {
    thread.loop().stop();
    try {
      thread.thread().join(waitMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
