/**
 * Measurement: {@link io.weirmq.bench.BenchCommand} is {@code ./mq bench}, an open-loop load on a
 * broker in a process of its own (or one that runs), with throughput, latency, broker CPU and
 * memory. Its subcommands lie in a package each:
 *
 * <table>
 *   <caption>Measurements</caption>
 *   <tr><td>{@code load}<td>the open-loop load itself
 *   <tr><td>{@code compare}<td>contestants in turns, see package {@code compare}
 *   <tr><td>{@code micro}<td>microbenchmarks of the storage engine, by JMH
 *   <tr><td>{@code flush}<td>what flush policies cost, and what group commit brings
 *   <tr><td>{@code restart}<td>opening a log after a kill
 *   <tr><td>{@code compaction}<td>compaction beside a model
 *   <tr><td>{@code partitions}<td>what many partitions cost at rest
 *   <tr><td>{@code host}<td>folders, processes, {@code /proc}
 * </table>
 *
 * <p>Figures of different runs on a shared machine can't be compared; compare what was measured in
 * turns in one run.
 */
@NullMarked
package io.weirmq.bench;

import org.jspecify.annotations.NullMarked;
