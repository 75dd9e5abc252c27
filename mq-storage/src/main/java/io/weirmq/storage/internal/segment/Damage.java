package io.weirmq.storage.internal.segment;

/**
 * A stretch of a segment in which no sound batch starts. Immutable.
 *
 * @param position in bytes, where it begins
 * @param endPosition in bytes, where the next sound batch starts, or the segment ends
 * @param firstOffset the first offset that can't be read, as far as it can be told
 * @param endOffset the offset behind the last one, {@link Long#MAX_VALUE} where the segment ends
 *     and what follows isn't known
 * @param problem what was expected and what was found
 */
public record Damage(
    int position, int endPosition, long firstOffset, long endOffset, String problem) {

  /** What is damaged, for messages. */
  public String describe() {
    return "%d bytes with offsets %d to %s are damaged: %s"
        .formatted(
            endPosition - position,
            firstOffset,
            endOffset == Long.MAX_VALUE ? "the end" : String.valueOf(endOffset - 1),
            problem);
  }
}
