/**
 * Compaction of a topic with many keys: time, bytes and memory, and whether the result equals a
 * model that remembers the last value of each key. Begin with {@link
 * io.weirmq.bench.compaction.CompactionCommand}. Confined to one thread.
 */
@NullMarked
package io.weirmq.bench.compaction;

import org.jspecify.annotations.NullMarked;
