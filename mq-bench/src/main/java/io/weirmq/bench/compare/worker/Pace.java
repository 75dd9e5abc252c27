package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Workload;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * An open loop: which messages are due by now. Send times are fixed when it starts; a message that
 * can't be sent in time keeps its time. Confined to one thread, but for {@link #intendedNs}.
 */
final class Pace {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final LongSupplier nanoClock;
  private final Idler idler;
  private final long startNs;
  private final double intervalNs;
  private final long warmupCount;
  private final long total;
  private long begun;

  private Pace(Workload workload, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.idler = workload.pacing() == Pacing.PARK ? Idler.PARK : Idler.YIELD;
    this.intervalNs = NANOS_PER_SECOND / workload.ratePerSecond();
    this.warmupCount = count(workload.ratePerSecond(), workload.warmupMs());
    this.total = warmupCount + Math.max(1, count(workload.ratePerSecond(), workload.measuredMs()));
    this.startNs = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(1);
  }

  static Pace startingNow(Workload workload, LongSupplier nanoClock) {
    return new Pace(workload, nanoClock);
  }

  private static long count(long ratePerSecond, long ms) {
    return Math.round(ratePerSecond * (ms / MILLIS_PER_SECOND));
  }

  /** Messages that have been begun. */
  long begun() {
    return begun;
  }

  /** Messages that should have been begun by now, at most as many as there are. */
  long due() {
    long passedNs = nanoClock.getAsLong() - startNs;
    return passedNs < 0 ? 0 : Math.min(total, (long) (passedNs / intervalNs) + 1);
  }

  void begunTo(long sequence) {
    begun = sequence;
  }

  long intendedNs(long sequence) {
    return startNs + (long) (sequence * intervalNs);
  }

  int phase(long sequence) {
    return sequence < warmupCount ? MessageFormat.WARM_UP : MessageFormat.COUNTED;
  }

  boolean isOver() {
    return begun >= total;
  }

  /** Messages in all. */
  long total() {
    return total;
  }

  /** Waits a moment for the next message to become due. */
  void idle() {
    if (begun < total) {
      idler.idle(0);
    }
  }
}
