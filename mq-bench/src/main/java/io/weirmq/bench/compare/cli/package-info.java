/**
 * The command line of comparisons: {@link io.weirmq.bench.compare.cli.CompareCommand} puts the
 * parts together and owns what needs a process: clocks, the shutdown hook, the terminal. Confined
 * to the main thread.
 */
@NullMarked
package io.weirmq.bench.compare.cli;

import org.jspecify.annotations.NullMarked;
