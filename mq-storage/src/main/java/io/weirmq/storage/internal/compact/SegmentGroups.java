package io.weirmq.storage.internal.compact;

import io.weirmq.index.OffsetIndex;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.segment.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts the segments of a run into groups, each of which becomes one segment, if it can: so that
 * small segments, of which little is left, grow together again.
 */
final class SegmentGroups {

  /** Segments of a group at most, so that their exchange takes the log's writer milliseconds. */
  static final int SEGMENTS_MAX = 64;

  private SegmentGroups() {}

  /**
   * Returns the groups, in order.
   *
   * @param count segments of the list to take, from the first; at least one follows
   * @param bytesMax size of a group at most, unless one segment alone is larger
   */
  static List<List<Segment>> of(SegmentList segments, int count, int bytesMax) {
    List<List<Segment>> groups = new ArrayList<>();
    List<Segment> group = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      Segment segment = segments.get(i);
      boolean fits =
          !group.isEmpty()
              && group.size() < SEGMENTS_MAX
              && bytes + segment.sizeBytes() <= bytesMax
              && OffsetIndex.fits(group.get(0).baseOffset(), segments.nextBaseOffset(i) - 1);
      if (!fits && !group.isEmpty()) {
        groups.add(group);
        group = new ArrayList<>();
        bytes = 0;
      }
      group.add(segment);
      bytes += segment.sizeBytes();
    }
    if (!group.isEmpty()) {
      groups.add(group);
    }
    return groups;
  }
}
