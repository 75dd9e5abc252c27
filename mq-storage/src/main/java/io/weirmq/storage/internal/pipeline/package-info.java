/**
 * The write path: a Disruptor ring between the threads that bring batches and the one that writes.
 *
 * <pre>
 *   LogChannel.tryAppend (caller) ── validate ─▶ ring ─▶ PipelineWriter ── stage ─▶ CommitGroup
 *                                                          │       ▲       commit, tell
 *                                callbacks, or ParkedAppends ◀─────┤
 *                                                          │       │ settled
 *                                      LogFlushes (one per log) ───┘
 *                                                          └─▶ FlushThreads: force
 * </pre>
 *
 * <p>Start with {@link io.weirmq.storage.internal.pipeline.PipelineWriter}. Invariants: each append
 * that was taken is answered exactly once; a log is written by the writer's thread only, and forced
 * by flush threads beside it; callbacks of one log keep its order; while an append is parked a
 * flush is under way; what throws fails its own request, except for an {@link java.lang.Error},
 * which ends the pipeline and is passed on after everybody was answered.
 *
 * <p>Threads: any number of callers, one writer, some flush threads on demand. The reasons are in
 * {@code docs/adr/0004-append-pipeline.md} and {@code 0009-flushing-beside-the-writer.md}.
 */
@NullMarked
package io.weirmq.storage.internal.pipeline;

import org.jspecify.annotations.NullMarked;
