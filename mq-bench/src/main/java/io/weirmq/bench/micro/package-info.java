/**
 * Microbenchmarks of the storage engine, by JMH: what an append costs beside a plain file write,
 * what a lookup costs in a small and in a large segment, what readers cost the writer, what group
 * commit brings.
 *
 * <p>They run by {@code mq bench micro [pattern] [options of JMH]}. Each shows a ratio: both sides
 * are benchmarks of one class, to be run in one go, and the figure to look at is the one divided by
 * the other. Files lie in the folder that the environment variable {@code MQ_BENCH_DIR} names,
 * which decides what is measured: a tmpfs shows the code, a disk shows the disk.
 *
 * <p>Begin with {@link io.weirmq.bench.micro.AppendBenchmark}; {@link
 * io.weirmq.bench.micro.BenchLog} is the log that all of them use. States are confined to the
 * threads that JMH gives them.
 */
@NullMarked
package io.weirmq.bench.micro;

import org.jspecify.annotations.NullMarked;
