/**
 * What runs inside a contestant's processes: {@link
 * io.weirmq.bench.compare.worker.ContestantProcess} is the main class, a {@link
 * io.weirmq.bench.compare.worker.Worker} does the work. The generic workers move messages over a
 * {@link io.weirmq.bench.compare.worker.Link}, which is all that a contestant has to write.
 *
 * <p><b>Lines.</b> The driver talks to a process over its standard input and output. A line of a
 * process begins with {@code @bench}, as libraries print there too; values are URL-encoded.
 *
 * <pre>
 *   driver    process
 *             ready key=value ...     prepared; the facts go to the processes that start later
 *   clock     clock NANOS             reading of System.nanoTime
 *   go                                to all that report
 *             measuring               the warm-up is over
 *             measured                the counted time is over
 *             result key=value ...    counts and a compressed histogram in Base64
 *             failed text             instead of any of these; the process ends
 *   stop                              to all
 * </pre>
 *
 * <p>A process ends at once when its input ends, so that none outlives the driver, however that
 * dies.
 *
 * <p><b>Messages</b> ({@link io.weirmq.bench.compare.worker.MessageFormat}) carry a sequence
 * number, the intended send time and a check at their end: receivers verify that all of them came,
 * once, in order, and whole.
 */
@NullMarked
package io.weirmq.bench.compare.worker;

import org.jspecify.annotations.NullMarked;
