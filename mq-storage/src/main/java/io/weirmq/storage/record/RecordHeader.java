package io.weirmq.storage.record;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A header of a record. Immutable, but for the buffer's content.
 *
 * @param key name; several headers may have the same
 * @param value bytes from position to limit; null where there is none
 */
public record RecordHeader(String key, @Nullable ByteBuffer value) {}
