package io.weirmq.transport.shm.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Writes a warning at most once per interval and counts the ones left out, so that a reconnect
 * storm does not fill the disk. Safe for use by several threads.
 */
final class RateLimitedLog {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Logger log;
  private final LongSupplier nanoClock;
  private final AtomicLong nextNanos;
  private final AtomicLong suppressed = new AtomicLong();

  /**
   * Makes a log whose first warning passes.
   *
   * @param log where to write
   * @param nanoClock monotonic time in nanoseconds
   */
  RateLimitedLog(Logger log, LongSupplier nanoClock) {
    this.log = log;
    this.nanoClock = nanoClock;
    this.nextNanos = new AtomicLong(nanoClock.getAsLong());
  }

  /** Writes the warning, or counts it where the last one is too young. */
  void warn(String message) {
    long now = nanoClock.getAsLong();
    long next = nextNanos.get();
    if (now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
      log.warn("{} ({} like it since the last such line)", message, suppressed.getAndSet(0));
    } else {
      suppressed.incrementAndGet();
    }
  }
}
