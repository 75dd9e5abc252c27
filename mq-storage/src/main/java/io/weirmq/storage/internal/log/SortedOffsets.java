package io.weirmq.storage.internal.log;

import java.util.Arrays;
import java.util.Collection;

/**
 * A set of offsets in one array, so that ten of them cost a log at rest 100 bytes. Adding and
 * removing copy; a log has one per segment at most. Not safe for use by several threads.
 */
final class SortedOffsets {

  static final long NONE = -1;

  private static final long[] EMPTY = {};

  private long[] sorted;

  /** Takes offsets of 0 or more, each once. */
  SortedOffsets(Collection<Long> offsets) {
    sorted =
        offsets.isEmpty() ? EMPTY : offsets.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  boolean isEmpty() {
    return sorted.length == 0;
  }

  boolean contains(long offset) {
    return Arrays.binarySearch(sorted, offset) >= 0;
  }

  /** The largest offset, {@link #NONE} where there is none. */
  long last() {
    return sorted.length == 0 ? NONE : sorted[sorted.length - 1];
  }

  /** The largest offset at or below another, {@link #NONE} where there is none. */
  long floor(long offset) {
    int found = Arrays.binarySearch(sorted, offset);
    int index = found >= 0 ? found : -found - 2;
    return index < 0 ? NONE : sorted[index];
  }

  /** All offsets, rising; a copy. */
  long[] toArray() {
    return sorted.clone();
  }

  void add(long offset) {
    int found = Arrays.binarySearch(sorted, offset);
    if (found < 0) {
      int index = -found - 1;
      long[] grown = Arrays.copyOf(sorted, sorted.length + 1);
      System.arraycopy(sorted, index, grown, index + 1, sorted.length - index);
      grown[index] = offset;
      sorted = grown;
    }
  }

  void remove(long offset) {
    int index = Arrays.binarySearch(sorted, offset);
    if (index >= 0) {
      long[] shrunk = Arrays.copyOf(sorted, sorted.length - 1);
      System.arraycopy(sorted, index + 1, shrunk, index, shrunk.length - index);
      sorted = shrunk;
    }
  }
}
