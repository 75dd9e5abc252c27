/**
 * The storage engine: segmented logs in Kafka's on-disk layout, written through a ring buffer.
 *
 * <p>Readers and the writer of a log have separate roles. {@link io.weirmq.storage.PartitionLog} is
 * what readers hold: lookups and {@link io.weirmq.storage.LogSlice}s, which are file ranges and
 * never copies. {@link io.weirmq.storage.LogWriter} is what changes a log; only the thread of the
 * log's {@link io.weirmq.storage.AppendPipeline} sees it, and others hand work to it through a
 * {@link io.weirmq.storage.LogAppender}.
 *
 * <pre>
 *   LogDirectory  --create/log--&gt;  PartitionLog  --attach--&gt;  AppendPipeline
 *      (folder, lock, checkpoints)      |  read                    |
 *                                       v                          v
 *                                    LogSlice                  LogAppender --tryAppend--&gt; AppendResult
 * </pre>
 *
 * <p>Read {@link io.weirmq.storage.PartitionLog}, {@link io.weirmq.storage.LogAppender} and {@link
 * io.weirmq.storage.AppendResult} first. Record batches are in {@code io.weirmq.storage.record},
 * the seam to the file system in {@code io.weirmq.storage.io}.
 *
 * <p>Threads: any number of readers; one writer per log, the pipeline's, and a flush thread beside
 * it while the log is put on the disk. Clocks and files come from outside.
 */
@NullMarked
package io.weirmq.storage;

import org.jspecify.annotations.NullMarked;
