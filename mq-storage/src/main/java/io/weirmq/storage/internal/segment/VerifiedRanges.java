package io.weirmq.storage.internal.segment;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of an open segment were read and found sound. Safe for use by several threads.
 *
 * <p>A range begins and ends where batches do. Ranges that touch become one, so that a segment that
 * is read from one end to the other has one; at most {@link #RANGES_MAX} are kept, and what is
 * forgotten is checked again.
 */
final class VerifiedRanges {

  /** Ranges that are remembered per open segment. */
  static final int RANGES_MAX = 64;

  /**
   * A range.
   *
   * @param end position behind its last batch
   * @param nextOffset offset behind its last batch
   * @param epoch leader epoch of its last batch
   */
  record Range(int end, long nextOffset, int epoch) {}

  private final TreeMap<Integer, Range> ranges = new TreeMap<>();

  /** The range in which a batch starts; null where it isn't known to be sound. */
  synchronized @Nullable Range find(int position) {
    Map.Entry<Integer, Range> entry = ranges.floorEntry(position);
    return entry != null && entry.getValue().end() > position ? entry.getValue() : null;
  }

  synchronized void add(int start, Range range) {
    int first = start;
    Map.Entry<Integer, Range> before = ranges.floorEntry(start);
    if (before != null && before.getValue().end() >= start) {
      if (before.getValue().end() >= range.end()) {
        return;
      }
      first = before.getKey();
    }
    Range joined = range;
    Map.Entry<Integer, Range> next = ranges.ceilingEntry(first);
    while (next != null && next.getKey() <= joined.end()) {
      ranges.remove(next.getKey());
      if (next.getValue().end() > joined.end()) {
        joined = next.getValue();
      }
      next = ranges.ceilingEntry(first);
    }
    ranges.put(first, joined);
    if (ranges.size() > RANGES_MAX) {
      ranges.pollFirstEntry();
    }
  }
}
