/**
 * The topic {@code __consumer_offsets} behind the group coordinator: appends through the partitions
 * of this broker, and reading a partition from its start.
 *
 * <p>{@link io.weirmq.server.internal.offsetslog.PartitionOffsetsLog} implements what the
 * coordinator asks for. Its records are ordinary record batches, appended with acks=all, so that
 * Kafka's own tools can read them.
 *
 * <p>Appends to one partition complete in the order in which they were made, whatever thread knows
 * their outcome first; {@code OrderedAppends} sees to that, and to a full pipeline. Reading happens
 * on an executor of its own, as it may take long.
 */
@NullMarked
package io.weirmq.server.internal.offsetslog;

import org.jspecify.annotations.NullMarked;
