/**
 * Log compaction: of each key the last record stays, offsets stay what they are.
 *
 * <p>A run over one log has two passes, after Kafka's:
 *
 * <pre>
 *   1  read    [first dirty offset, end)   key → last offset     {@link OffsetMap}, bounded
 *   2  read    [log start, end)            keep or drop          {@link RecordFilter}
 *      write   one group of segments after the other             {@link GroupRewrite}
 * </pre>
 *
 * <p>Where the map is full in pass 1, the run ends at the first offset that is not in it; records
 * from there on stay, and the next run goes on there.
 *
 * <p>Start with {@link io.weirmq.storage.LogCleaner}, then {@link CompactionRun}. What is kept:
 *
 * <ul>
 *   <li>the last record of each key that is known in the range; a tombstone until its time is over
 *   <li>nothing of aborted transactions; markers until their data is gone, and then as long as a
 *       tombstone ({@link TransactionStates})
 *   <li>the header of a producer's last batch, and of the last batch of a group, without records
 * </ul>
 *
 * <p>A batch of which everything stays is copied; of another the records that stay are copied byte
 * by byte into a new one ({@link BatchRewriter}).
 *
 * <p>Threads: a run belongs to the cleaner's thread, and hands only the exchange of segments to the
 * log's writer. Memory: the map and three buffers, all bounded by {@link
 * io.weirmq.storage.CleanerOptions}, but for one batch, which has to be in memory whole.
 */
@NullMarked
package io.weirmq.storage.internal.compact;

import org.jspecify.annotations.NullMarked;
