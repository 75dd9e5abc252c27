/**
 * Idempotent and transactional producers of a log.
 *
 * <p>{@link io.weirmq.storage.internal.producer.ProducerStates} answers whether a batch repeats one
 * of the last five, follows them, or leaves a gap, and up to where transactions are decided. It
 * stages and commits beside the log's write, so that nothing is remembered of what was not written.
 * {@link io.weirmq.storage.internal.producer.ProducerSnapshotFile} keeps the last batch of each
 * producer in {@code .snapshot} files, and {@link
 * io.weirmq.storage.internal.producer.AbortedTransactionFormat} is the format of {@code .txnindex}
 * entries.
 *
 * <p>Threads: the log's writer; others read summaries.
 */
@NullMarked
package io.weirmq.storage.internal.producer;

import org.jspecify.annotations.NullMarked;
