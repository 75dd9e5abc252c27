package io.weirmq.transport.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets one report pass in ten seconds and counts the others, so that a port scan or a reconnect
 * storm does not fill the disk with log lines. Safe for use by several threads.
 *
 * <pre>
 *   long leftOut = refusals.tryPass();
 *   if (leftOut &gt;= 0) {
 *     LOG.warn("connection refused, peer={} ({} like it left out)", peer, leftOut);
 *   }
 * </pre>
 */
public final class RateLimit {

  private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long QUIET = -1;

  private final LongSupplier nanoClock;
  private final AtomicLong nextNs;
  private final AtomicLong leftOut = new AtomicLong();

  /**
   * Makes a limit whose first report passes.
   *
   * @param nanoClock monotonic clock, nanoseconds
   */
  public RateLimit(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.nextNs = new AtomicLong(nanoClock.getAsLong());
  }

  /**
   * Asks whether to report now.
   *
   * @return how many reports were left out since the last one that passed, 0 or more; -1 where this
   *     one is to be left out, too
   */
  public long tryPass() {
    long nowNs = nanoClock.getAsLong();
    long next = nextNs.get();
    if (nowNs - next >= 0 && nextNs.compareAndSet(next, nowNs + INTERVAL_NS)) {
      return leftOut.getAndSet(0);
    }
    leftOut.incrementAndGet();
    return QUIET;
  }
}
