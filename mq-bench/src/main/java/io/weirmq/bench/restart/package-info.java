/**
 * What opening a log costs after its process was killed: {@link
 * io.weirmq.bench.restart.RestartCommand} measures, a second process writes and is killed. Confined
 * to one thread.
 */
@NullMarked
package io.weirmq.bench.restart;

import org.jspecify.annotations.NullMarked;
