/**
 * Time for tests: clocks that a test moves, and a scheduler that a test steps.
 *
 * <p>{@link io.weirmq.testkit.time.VirtualClock} stands in for both clocks of production code, the
 * wall clock ({@link java.time.InstantSource}) and the monotonic one ({@code LongSupplier} of
 * nanoseconds). They are moved together by {@code advance} and apart where a test is about a wall
 * clock that jumps.
 *
 * <p>Code that needs a thread of its own or a timer takes a {@link
 * io.weirmq.testkit.time.TaskScheduler}. A deterministic test passes a {@link
 * io.weirmq.testkit.time.SteppedScheduler} and runs tasks one by one; a test with real threads
 * passes a {@link io.weirmq.testkit.time.ThreadScheduler}.
 *
 * <pre>{@code
 * VirtualClock clock = new VirtualClock();
 * SteppedScheduler scheduler = new SteppedScheduler(clock);
 * scheduler.schedule(Duration.ofSeconds(5), lease::expire);
 * scheduler.advance(Duration.ofSeconds(4));   // nothing yet
 * scheduler.advance(Duration.ofSeconds(1));   // expired, and nobody has waited
 * }</pre>
 */
@NullMarked
package io.weirmq.testkit.time;

import org.jspecify.annotations.NullMarked;
