package io.weirmq.storage.internal;

import java.nio.ByteBuffer;

/**
 * A batch that passed {@code BatchValidator}, with what the validation learned. Immutable, but for
 * the buffer's content.
 *
 * @param buffer the batch from position to limit: the client's own bytes, or new ones where it was
 *     compressed anew
 * @param recordCount number of records, 1 or more
 * @param maxTimestampMs the greatest record timestamp
 * @param maxTimestampOffsetDelta offset delta of the first record that has it
 */
public record ValidatedBatch(
    ByteBuffer buffer, int recordCount, long maxTimestampMs, int maxTimestampOffsetDelta) {}
