package io.weirmq.server.internal.request;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Writes at most one line per interval and counts the rest, so that a peer that misbehaves often
 * can't fill the log. Safe for use by several threads.
 */
public final class RateLimitedLog {

  private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);

  private final Logger log;
  private final LongSupplier nanoClock;
  private final AtomicLong nextLineNs;
  private final AtomicLong suppressed = new AtomicLong();

  /**
   * Makes a log that has not written yet.
   *
   * @param nanoClock monotonic clock, nanoseconds
   */
  public RateLimitedLog(Logger log, LongSupplier nanoClock) {
    this.log = log;
    this.nanoClock = nanoClock;
    this.nextLineNs = new AtomicLong(nanoClock.getAsLong());
  }

  /** Writes a line at WARN, or counts it where the last one is less than ten seconds old. */
  public void warn(String line) {
    long nowNs = nanoClock.getAsLong();
    long next = nextLineNs.get();
    if (nowNs - next < 0 || !nextLineNs.compareAndSet(next, nowNs + INTERVAL_NS)) {
      suppressed.incrementAndGet();
      return;
    }
    long left = suppressed.getAndSet(0);
    if (left == 0) {
      log.warn("{}", line);
    } else {
      log.warn("{} ({} lines of this kind were left out before)", line, left);
    }
  }
}
