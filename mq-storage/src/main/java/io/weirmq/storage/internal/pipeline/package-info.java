/**
 * The write path: a Disruptor ring between the threads that bring batches and the one that writes.
 *
 * <pre>
 *   LogChannel.tryAppend (caller) ── validate ─▶ ring ─▶ PipelineWriter ── stage ─▶ CommitGroup
 *                                                            │                commit, flush, tell
 *                                                            └─▶ callbacks, waiters, detachments
 * </pre>
 *
 * <p>Start with {@link io.weirmq.storage.internal.pipeline.PipelineWriter}. Invariants: each append
 * that was taken is answered exactly once; a log is touched by the writer's thread only; what
 * throws fails its own request, except for an {@link java.lang.Error}, which ends the pipeline and
 * is passed on after everybody was answered.
 *
 * <p>Threads: any number of callers, one writer. The reasons are in {@code
 * docs/adr/0004-append-pipeline.md}.
 */
@NullMarked
package io.weirmq.storage.internal.pipeline;

import org.jspecify.annotations.NullMarked;
