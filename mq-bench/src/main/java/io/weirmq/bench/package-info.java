/**
 * Load generation and measurement.
 *
 * <p>{@link io.weirmq.bench.BenchCommand} is {@code ./mq bench}: it starts a broker in a process of
 * its own (or takes one that runs), drives it with an {@link io.weirmq.bench.OpenLoopProducer}, and
 * prints throughput, latency, broker CPU and memory as one {@link io.weirmq.bench.BenchReport}.
 *
 * <p><b>Open loop.</b> Send times are fixed by the rate before the run begins; a broker that falls
 * behind does not slow the clock down. Latency counts from the intended send time of each record to
 * its acknowledgement, so that a stall shows up in all records that were due in it (no coordinated
 * omission).
 *
 * <p>Figures of different runs on a shared machine can't be compared; compare what was measured in
 * turns in one run.
 */
@NullMarked
package io.weirmq.bench;

import org.jspecify.annotations.NullMarked;
