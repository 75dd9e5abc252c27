/**
 * Reads log files as they lie on the disk, without opening a log: for dumps and for checks.
 *
 * <p>{@link io.weirmq.storage.check.SegmentReader} goes through one {@code .log} file batch by
 * batch; {@link io.weirmq.storage.check.PartitionChecker} checks a partition's folder with it:
 * checksums, offsets, the records inside the batches, and that each index entry tells the truth.
 * Nothing is written, nothing locked: a log that is being appended to may show a torn tail that is
 * none.
 *
 * <p>Threads: each object is confined to one thread.
 */
@NullMarked
package io.weirmq.storage.check;

import org.jspecify.annotations.NullMarked;
