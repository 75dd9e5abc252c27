package io.weirmq.testkit.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A wall clock and a monotonic clock that stand still until a test moves them. Safe for use by
 * several threads.
 *
 * <p>The wall clock may be set to any time, also back, as happens to machines; the monotonic clock
 * only goes forward, as the system's does.
 */
public final class VirtualClock implements InstantSource {

  /** Where the wall clock begins: a recent round time, so that timestamps look like real ones. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private volatile Instant wall;
  private final AtomicLong nanos = new AtomicLong();

  /** Starts at {@link #START}. */
  public VirtualClock() {
    this(START);
  }

  /** Starts at the given wall time; the monotonic clock starts at 0. */
  public VirtualClock(Instant start) {
    this.wall = start;
  }

  @Override
  public Instant instant() {
    return wall;
  }

  /** The monotonic time in nanoseconds since this clock was made. */
  public long nanoTime() {
    return nanos.get();
  }

  /** The monotonic clock as production code takes it. */
  public LongSupplier nanoClock() {
    return nanos::get;
  }

  /**
   * Moves both clocks forward.
   *
   * @throws IllegalArgumentException where the step is negative
   */
  public void advance(Duration step) {
    advanceNanos(step);
    shiftWall(step);
  }

  /**
   * Moves the monotonic clock forward and leaves the wall clock.
   *
   * @throws IllegalArgumentException where the step is negative
   */
  public void advanceNanos(Duration step) {
    if (step.isNegative()) {
      throw new IllegalArgumentException("the monotonic clock can't go back by " + step);
    }
    nanos.addAndGet(step.toNanos());
  }

  /** Moves the wall clock by a step, which may be negative, and leaves the monotonic clock. */
  public synchronized void shiftWall(Duration step) {
    wall = wall.plus(step);
  }

  /** Sets the wall clock and leaves the monotonic clock. */
  public synchronized void setWall(Instant time) {
    wall = time;
  }
}
