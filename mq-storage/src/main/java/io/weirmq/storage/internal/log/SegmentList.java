package io.weirmq.storage.internal.log;

import io.weirmq.storage.internal.segment.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The segments of a log by base offset; the last one is active. Immutable, never empty. */
public final class SegmentList {

  private final Segment[] segments;

  private SegmentList(Segment[] segments) {
    if (segments.length == 0) {
      throw new IllegalArgumentException("a log has at least one segment");
    }
    this.segments = segments;
  }

  /** Makes a list; the segments are sorted already. */
  public static SegmentList of(List<Segment> sorted) {
    return new SegmentList(sorted.toArray(new Segment[0]));
  }

  public int size() {
    return segments.length;
  }

  public Segment get(int index) {
    return segments[index];
  }

  public Segment first() {
    return segments[0];
  }

  public Segment last() {
    return segments[segments.length - 1];
  }

  public List<Segment> asList() {
    return List.of(segments);
  }

  /** Index of the last segment whose base offset is at or below an offset; 0 where none is. */
  public int floorIndex(long offset) {
    int low = 0;
    int high = segments.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segments[middle].baseOffset() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The offset at which the segment behind an index begins; the largest long for the last. */
  public long nextBaseOffset(int index) {
    return index + 1 < segments.length ? segments[index + 1].baseOffset() : Long.MAX_VALUE;
  }

  public long sizeBytes() {
    long sum = 0;
    for (Segment segment : segments) {
      sum += segment.sizeBytes();
    }
    return sum;
  }

  public SegmentList plus(Segment next) {
    Segment[] grown = Arrays.copyOf(segments, segments.length + 1);
    grown[segments.length] = next;
    return new SegmentList(grown);
  }

  /** The list with another last segment. */
  public SegmentList replaceLast(Segment next) {
    Segment[] replaced = segments.clone();
    replaced[segments.length - 1] = next;
    return new SegmentList(replaced);
  }

  /** The list with others in the place of some segments. */
  public SegmentList replace(int from, int count, List<Segment> others) {
    List<Segment> replaced = new ArrayList<>(List.of(segments));
    List<Segment> range = replaced.subList(from, from + count);
    range.clear();
    range.addAll(others);
    return of(replaced);
  }

  /** The segments from an index on. */
  public SegmentList from(int index) {
    return new SegmentList(Arrays.copyOfRange(segments, index, segments.length));
  }

  /** The first segments, up to and without an index. */
  public SegmentList upTo(int index) {
    return new SegmentList(Arrays.copyOf(segments, index));
  }
}
