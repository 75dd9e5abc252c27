package io.weirmq.storage.internal.segment;

import java.util.function.LongUnaryOperator;

/**
 * What a log knows of a segment beside the segment's own bytes. Immutable.
 *
 * @param offset the offset behind the last one; {@link Long#MAX_VALUE} where unknown
 * @param epochOf tells the leader epoch of an offset, a negative one where unknown
 */
public record SegmentEnd(long offset, LongUnaryOperator epochOf) {

  /** For those who don't know. */
  public static final SegmentEnd UNKNOWN = new SegmentEnd(Long.MAX_VALUE, offset -> -1);

  boolean isKnown() {
    return offset != Long.MAX_VALUE;
  }
}
