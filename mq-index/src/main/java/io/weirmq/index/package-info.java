/**
 * Sparse offset and time indexes of a log segment, in Kafka's file formats.
 *
 * <p>An index maps a subset of the batches of a segment to where they start, about one per {@code
 * index.interval.bytes}. A lookup finds the greatest entry at or below the target; the caller scans
 * forward from there. An index is never the truth: where it is missing, short or wrong it is made
 * anew from the log, and a caller checks that a batch with the entry's offset really starts at the
 * entry's position before it believes it.
 *
 * <pre>
 *   .log        [batch 0..4][batch 5..9][batch 10..11][batch 12..30] ...
 *   .index                               11 -&gt; start of batch 10..11
 *   .timeindex                           largest timestamp so far -&gt; last offset of its batch
 * </pre>
 *
 * <p>Read {@link io.weirmq.index.OffsetIndex} first, then {@link io.weirmq.index.TimeIndex}; both
 * stand on {@link io.weirmq.index.IndexFile}, which an embedding program may implement over files
 * of its own kind.
 *
 * <p>Nothing is mapped and nothing is preallocated: entries are appended to a page on the heap,
 * which is written out when it is full, and older entries are read page by page when a lookup needs
 * them. An index costs at most two pages (of {@value io.weirmq.index.OffsetIndex#PAGE_ENTRIES}
 * entries) of memory whatever its size.
 *
 * <p>Threads: one writer and any number of readers, without locks. A reader sees each entry whole
 * or not at all.
 */
@NullMarked
package io.weirmq.index;

import org.jspecify.annotations.NullMarked;
