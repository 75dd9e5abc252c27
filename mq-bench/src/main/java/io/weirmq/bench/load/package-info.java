/**
 * An open-loop load on one partition: {@link io.weirmq.bench.load.LoadProfile} says what is sent,
 * {@link io.weirmq.bench.load.OpenLoopProducer} sends it, {@link io.weirmq.bench.load.BenchReport}
 * is what came of it.
 *
 * <p><b>Open loop.</b> Send times are fixed by the rate before the run begins; a broker that falls
 * behind does not slow the clock down. Latency counts from the intended send time of each record to
 * its acknowledgement, so that a stall shows up in all records that were due in it (no coordinated
 * omission). Confined to the thread that runs the load.
 */
@NullMarked
package io.weirmq.bench.load;

import org.jspecify.annotations.NullMarked;
