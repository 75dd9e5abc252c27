package io.weirmq.server.internal.group.classic;

import io.weirmq.server.internal.schedule.Scheduler;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The two kinds of time that a group lives by. Immutable.
 *
 * <p>Sessions and rebalances follow the monotonic clock, so that a wall clock that jumps expels
 * nobody. The wall clock is read only for what is stored.
 *
 * @param wall time of day, for stored timestamps
 * @param nanos monotonic time, in nanoseconds from an arbitrary origin; compared by subtraction
 * @param scheduler runs tasks on the coordinator's thread, by the monotonic clock
 */
public record GroupClocks(InstantSource wall, LongSupplier nanos, Scheduler scheduler) {

  /** The time of day, in milliseconds since 1970. */
  public long nowMs() {
    return wall.millis();
  }
}
