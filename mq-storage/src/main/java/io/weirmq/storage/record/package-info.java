/**
 * Record batches of message format v2: views, readers, builders and codecs.
 *
 * <p>{@link io.weirmq.storage.record.RecordBatch} is a view of the header of one batch; its class
 * doc draws the layout. It validates nothing by itself, which makes it cheap enough for the write
 * path. Everything that meets damaged bytes says so with a {@link
 * io.weirmq.storage.record.CorruptBatchException}.
 *
 * <p>Threads: all views, cursors and builders are confined to one thread.
 */
@NullMarked
package io.weirmq.storage.record;

import org.jspecify.annotations.NullMarked;
