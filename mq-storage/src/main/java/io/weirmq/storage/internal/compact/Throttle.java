package io.weirmq.storage.internal.compact;

import io.weirmq.storage.CleanerPause;
import java.util.function.LongSupplier;

/**
 * Keeps the bytes per second of all cleaner threads below a bound, on average.
 *
 * <p>Each request books its time behind those before, and waits until that begins. Time in which
 * nothing was moved is not made up for. Safe for use by several threads.
 */
public final class Throttle {
  private static final double NANOS_PER_SECOND = 1e9;

  /** A century. */
  private static final double WAIT_NANOS_MAX = 3e18;

  private final double bytesPerSecond;
  private final LongSupplier nanoClock;
  private final CleanerPause pause;
  private long bookedUntil;

  /**
   * Makes a throttle.
   *
   * @param bytesPerSecond above 0; an infinite or huge one costs nothing
   * @param nanoClock monotonic clock, nanoseconds
   */
  public Throttle(double bytesPerSecond, LongSupplier nanoClock, CleanerPause pause) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoClock = nanoClock;
    this.pause = pause;
    this.bookedUntil = nanoClock.getAsLong();
  }

  /**
   * Returns when so many bytes may be moved.
   *
   * @throws InterruptedException where the thread is interrupted while it waits
   */
  void acquire(int bytes) throws InterruptedException {
    double costNanos = bytes / bytesPerSecond * NANOS_PER_SECOND;
    if (costNanos < 1) {
      return;
    }
    long waitNanos = book((long) Math.min(costNanos, WAIT_NANOS_MAX));
    if (waitNanos > 0) {
      pause.pause(waitNanos);
    }
  }

  private synchronized long book(long costNanos) {
    long now = nanoClock.getAsLong();
    if (bookedUntil - now < 0) {
      bookedUntil = now;
    }
    long waitNanos = bookedUntil - now;
    bookedUntil += costNanos;
    return waitNanos;
  }
}
