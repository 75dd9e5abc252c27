/**
 * The group coordinator: members of consumer groups, and committed offsets.
 *
 * <pre>
 *   handlers --command--&gt; GroupCoordinator --hop to its thread--&gt; GroupShard of the group's partition
 *                                                                 |  classic: members, generations
 *   handlers &lt;--result--- future &lt;-----------------------------+  offsets: what was committed
 *                                                                 v
 *                                       OffsetsLog: __consumer_offsets, one partition for each shard
 * </pre>
 *
 * <p>Read {@link io.weirmq.server.internal.group.GroupCoordinator} first, then the packages {@code
 * message} (what is asked and answered), {@code classic} (the protocol of the members), {@code
 * offsets} and {@code records}.
 *
 * <p><b>Threads.</b> All state is confined to one thread, the coordinator's: an executor that is
 * given from outside. Timers hop on to it too. Reading a partition happens elsewhere and is handed
 * over when done.
 *
 * <p><b>Durability.</b> Whoever is told of an offset, a generation's assignment or the end of a
 * group can rely on it after a restart: answers wait for the log. Offsets are changed in memory
 * when their record is in the log and not before, so memory is what a replay gives.
 *
 * <p><b>Loading.</b> A partition answers {@code COORDINATOR_LOAD_IN_PROGRESS} until it is read to
 * its end; never "no such member" or "no offset" because of something not read yet.
 *
 * <p><b>Time.</b> Sessions and rebalances follow the monotonic clock. Only commit times and the
 * expiry of offsets, in days, are wall-clock times.
 */
@NullMarked
package io.weirmq.server.internal.group;

import org.jspecify.annotations.NullMarked;
