/**
 * Comparisons: contestants measured in turns on one machine.
 *
 * <p>Three interfaces, each found by {@link java.util.ServiceLoader} or reached from what was
 * found, so that a further suite, scenario or contestant is added and nothing is rewritten:
 *
 * <ul>
 *   <li>{@link io.weirmq.bench.compare.Suite}: a named list of scenarios
 *   <li>{@link io.weirmq.bench.compare.Scenario}: what is measured, with sizes and rate
 *   <li>{@link io.weirmq.bench.compare.Contestant}: what it promises, how it waits, and which
 *       processes run it; a {@link io.weirmq.bench.compare.ContestantProvider} brings some
 * </ul>
 *
 * <pre>
 *   cli -&gt; run: turns A B, B A ... --stdin/stdout--&gt; worker: a JVM per process of a contestant
 *            |
 *            `-&gt; report: spreads, ratios pair by pair; JSON, Markdown, charts
 * </pre>
 *
 * <p><b>Order.</b> Each round runs every contestant of a scenario once and begins with another one:
 * A B C, B C A, C A B. Whoever has the first turn after a pause may have it worst: on a virtual
 * machine memory of the page cache that was not used a moment ago costs ten times as much to write
 * as other memory. The rounds of a scenario follow one another. A ratio is always taken between two
 * turns of one round.
 *
 * <p><b>Time.</b> {@code System.nanoTime} is {@code CLOCK_MONOTONIC} on Linux: one clock for all
 * processes of a host, unaffected by settings of the wall clock. One-way latencies subtract the
 * sender's reading from the receiver's. The driver checks it: it exchanges readings with each
 * process, and refuses one whose reading does not lie between the two of its own.
 *
 * <p>All types here are immutable or without state, but for what a contestant's author adds.
 */
@NullMarked
package io.weirmq.bench.compare;

import org.jspecify.annotations.NullMarked;
