/**
 * The implementation of the storage engine; no other module imports it. Here lies what its two
 * halves share: {@link io.weirmq.storage.internal.AppendTarget} is where the pipeline and a log
 * meet, and {@link io.weirmq.storage.internal.FlushTarget} where a log and the disk do. The
 * pipeline decides when, the log decides how.
 *
 * <pre>
 *   bytes --&gt; validate --ValidatedBatch--&gt; pipeline --AppendTarget, FlushTarget--&gt; log --&gt; segment
 *                                                                              |
 *                           directory --folder--&gt; recovery --LoadedLog------&gt; log
 *                                                        compact --new segments--^
 * </pre>
 *
 * <p>In reading order: {@code segment} (a file of batches with its indexes), {@code log} (segments
 * in a row, their writer and readers) with {@code producer} and {@code epoch} (what a log remembers
 * of its batches), {@code validate} and {@code pipeline} (the way of a batch into a log), {@code
 * checkpoint} (the small files), {@code recovery} (a log from what its folder holds), {@code
 * directory} (the logs of a data folder), {@code compact} (a log rewritten).
 *
 * <p>The pipeline knows logs by the interfaces here alone, and no log knows the pipeline.
 */
@NullMarked
package io.weirmq.storage.internal;

import org.jspecify.annotations.NullMarked;
