/**
 * Committed offsets of groups, and when they end.
 *
 * <p>{@link io.weirmq.server.internal.group.offsets.GroupOffsets} holds the offsets of one group.
 * It is changed only when a record is in the log, in the order of the log: what is in memory is
 * always what a replay of the log would give.
 *
 * <p>{@link io.weirmq.server.internal.group.offsets.OffsetRetention} decides which offsets have
 * expired. Its rule is the wall clock's, as commit times outlive the process; it moves in days, so
 * a clock that jumps by hours ends nothing.
 *
 * <p>Confined to the coordinator's thread, but for the values.
 */
@NullMarked
package io.weirmq.server.internal.group.offsets;

import org.jspecify.annotations.NullMarked;
