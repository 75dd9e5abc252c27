/**
 * The log of a partition, made of segments.
 *
 * <pre>
 *   SegmentedLog (readers) --- SliceReader, TimestampSearch, TransactionSearch
 *        |                                    \
 *        |                                     LogState: what both sides share, how it is published
 *        |                                    /
 *   SegmentedLogWriter ------- LogAppends, LogTail (RollPolicy, Snapshots), SegmentRemoval, LogCutter
 *        |
 *   LogFlusher (flush threads) --- DerivedFiles, FlushProgress, LogRest,
 *                                  SegmentCheckpoints
 * </pre>
 *
 * <p>Read {@link io.weirmq.storage.internal.log.SegmentedLog} and {@code LogState} first. The
 * writer stages any number of batches and writes them at once; offsets are published after the
 * bytes, in an order that lets readers go without locks.
 *
 * <p>Threads: one writer per log, given by its pipeline; one flush at a time beside it; any number
 * of readers.
 */
@NullMarked
package io.weirmq.storage.internal.log;

import org.jspecify.annotations.NullMarked;
