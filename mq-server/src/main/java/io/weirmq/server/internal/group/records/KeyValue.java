package io.weirmq.server.internal.group.records;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A record to be written to {@code __consumer_offsets}, encoded. Immutable, as long as nobody moves
 * the buffers; they are read by absolute position or through duplicates.
 *
 * @param key the key, from its position to its limit
 * @param value the value; null for a tombstone
 */
public record KeyValue(ByteBuffer key, @Nullable ByteBuffer value) {}
