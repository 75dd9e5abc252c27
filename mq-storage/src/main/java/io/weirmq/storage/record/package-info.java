/**
 * Record batches of message format v2: views, readers, builders and codecs.
 *
 * <p>{@link io.weirmq.storage.record.RecordBatch} is a view of the header of one batch; its class
 * doc draws the layout. It validates nothing by itself, which makes it cheap enough for the write
 * path. {@link io.weirmq.storage.record.BatchCursor} goes over the batches of a buffer, {@link
 * io.weirmq.storage.record.RecordCursor} over the records of a batch, decompressing as it goes, and
 * {@link io.weirmq.storage.record.RecordView} is one record without a copy. {@link
 * io.weirmq.storage.record.RecordBatchBuilder} makes batches, {@link
 * io.weirmq.storage.record.StoredRecord} is for those who want values. Everything that meets
 * damaged bytes says so with a {@link io.weirmq.storage.record.CorruptBatchException}.
 *
 * <p>Threads: all views, cursors and builders are confined to one thread.
 */
@NullMarked
package io.weirmq.storage.record;

import org.jspecify.annotations.NullMarked;
