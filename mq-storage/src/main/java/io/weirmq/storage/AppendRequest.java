package io.weirmq.storage;

import java.nio.ByteBuffer;

/**
 * Records to append. Immutable, but for the buffer's content.
 *
 * @param records one batch of format v2 from position to limit (several for {@link
 *     AppendOrigin#REPLICATION}); borrowed until the callback. The writer stamps base offset,
 *     leader epoch and, where the topic wants it, timestamps into it
 * @param origin who sends, which decides the rules that apply
 * @param leaderEpoch leader epoch to stamp, 0 or more
 */
public record AppendRequest(ByteBuffer records, AppendOrigin origin, int leaderEpoch) {}
