/**
 * Segments: a file of record batches with its indexes.
 *
 * <p>{@link io.weirmq.storage.internal.segment.Segment} is the centre. At rest it is a few fields;
 * whoever needs its files takes an {@link io.weirmq.storage.internal.segment.OpenSegment}, counted,
 * out of the bounded set {@link io.weirmq.storage.internal.segment.OpenSegments}. {@link
 * io.weirmq.storage.internal.segment.BatchWalker} reads batch headers, {@link
 * io.weirmq.storage.internal.segment.IndexEntries} decides which batches are indexed, {@link
 * io.weirmq.storage.internal.segment.SegmentSlice} is the range that a reader gets.
 *
 * <pre>
 *   Segment --retain--&gt; OpenSegment --log()-----&gt; LogFile
 *      |                    |       --indexes()-&gt; OffsetIndex, TimeIndex
 *      |                    +-- held by slices; closed with the last holder
 *      +-- names, size, largest timestamp
 * </pre>
 *
 * <p>Threads: one writer per segment, any number of readers. A segment's lock is held while its
 * files are opened, closed or replaced, never while a batch is read or written.
 */
@NullMarked
package io.weirmq.storage.internal.segment;

import org.jspecify.annotations.NullMarked;
