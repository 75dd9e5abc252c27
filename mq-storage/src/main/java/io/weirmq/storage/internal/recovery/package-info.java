/**
 * Opening a log: what is found in a partition's folder, and what is made of it.
 *
 * <p>{@link io.weirmq.storage.internal.recovery.LogLoader} is the way in. After a clean stop it
 * looks at names and sizes only. After any other it reads what lies behind the recovery point:
 * {@link io.weirmq.storage.internal.recovery.LogRecovery} goes from segment to segment, and {@link
 * io.weirmq.storage.internal.recovery.SegmentRecovery} cuts the log behind the last whole, valid
 * batch and makes indexes, producers and leader epochs anew on the way. What lies before the
 * recovery point is on the disk and is not read; damage there is found by its readers and reported,
 * never cut off.
 *
 * <p>Each step may be interrupted and done again: files are replaced by renaming, and nothing is
 * removed before what takes its place is there.
 *
 * <p>Threads: one per log; logs are loaded beside each other.
 */
@NullMarked
package io.weirmq.storage.internal.recovery;

import org.jspecify.annotations.NullMarked;
