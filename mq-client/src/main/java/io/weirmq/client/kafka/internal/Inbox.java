package io.weirmq.client.kafka.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What the transport's callbacks have for the polling thread, which makes them itself where it runs
 * the transport's loop.
 *
 * <p>The polling thread announces that it is about to sleep, looks once more, and sleeps; whoever
 * adds after the announcement wakes it, once. So a wake-up, which is a system call, is made only
 * for a thread that sleeps, and never by that thread for itself.
 *
 * <p>{@link #add} and {@link #wakeUp} are for any thread; all else is for the polling thread. The
 * queue is bounded by those who add: see {@link LocalConnection}.
 */
final class Inbox {

  private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Thread> sleeping = new AtomicReference<>();
  private final Runnable wake;
  private volatile boolean woken;

  /**
   * Makes an empty inbox.
   *
   * @param wake ends the sleep of the polling thread, or its next one
   */
  Inbox(Runnable wake) {
    this.wake = wake;
  }

  /** Adds an event, to be run by the polling thread. */
  void add(Runnable event) {
    events.add(event);
    wakeSleeper();
  }

  private void wakeSleeper() {
    Thread sleeper = sleeping.get();
    if (sleeper != null
        && sleeper != Thread.currentThread()
        && sleeping.compareAndSet(sleeper, null)) {
      wake.run();
    }
  }

  /** Ends the sleep of the polling thread, or its next one. */
  void wakeUp() {
    woken = true;
    wakeSleeper();
  }

  /** Whether there is nothing to do and nobody has asked for the thread. */
  boolean isQuiet() {
    return events.isEmpty() && !woken;
  }

  /**
   * Announces a sleep.
   *
   * @return whether the thread may sleep; if not, it is as if it had woken already
   */
  boolean beginSleep() {
    sleeping.set(Thread.currentThread());
    if (isQuiet()) {
      return true;
    }
    sleeping.set(null);
    return false;
  }

  /** Ends what {@link #beginSleep()} has begun. */
  void endSleep() {
    sleeping.set(null);
  }

  /** Takes the request of {@link #wakeUp()} back; whoever asked has got the thread. */
  void awake() {
    if (woken) {
      woken = false;
    }
  }

  /** Runs the events that are there. */
  int drain() {
    int count = 0;
    Runnable event;
    while ((event = events.poll()) != null) {
      event.run();
      count++;
    }
    return count;
  }
}
