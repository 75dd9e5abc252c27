/**
 * Validation of record batches before they enter the ring of the write path.
 *
 * <p>{@link io.weirmq.storage.internal.validate.BatchValidator} is the entry. It looks at the batch
 * and the topic's configuration only, so that it runs on the threads that bring the batches,
 * several at a time, and the log's writer is left with what depends on the log's state.
 *
 * <p>Refusals are values: a {@link io.weirmq.storage.internal.validate.ValidationOutcome} with the
 * words for the sender. Whatever the bytes are, nothing else comes out.
 */
@NullMarked
package io.weirmq.storage.internal.validate;

import org.jspecify.annotations.NullMarked;
