package io.weirmq.storage.internal.log;

import io.weirmq.storage.internal.segment.Segment;

/**
 * An offset and where it lies. Immutable.
 *
 * @param offset record offset
 * @param segment the segment that the next batch at or behind the offset lies in, or will lie in
 * @param position where a batch with this base offset starts or will start; {@link #UNKNOWN} where
 *     that isn't known
 */
record LogPoint(long offset, Segment segment, int position) {

  /** The position isn't known and has to be looked up. */
  static final int UNKNOWN = -1;
}
