/**
 * Deferred work: one thread that runs short tasks when their time has come.
 *
 * <p>{@link io.weirmq.server.internal.schedule.Scheduler} is what components get; tests give them
 * one that follows a clock they move by hand. The broker's own is {@link
 * io.weirmq.server.internal.schedule.ThreadScheduler}. Delays follow the monotonic clock.
 *
 * <p>Waiting costs no thread: long polls, group session time-outs and periodic retention all share
 * the scheduler's. A task therefore does little; it hands real work over to the thread that owns
 * the state.
 */
@NullMarked
package io.weirmq.server.internal.schedule;

import org.jspecify.annotations.NullMarked;
