package io.weirmq.storage.internal.segment;

import io.weirmq.index.PageBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The bounded set of open segments of a data folder.
 *
 * <p>A segment is opened when it is needed and stays open until others need the room. Which one is
 * closed is found by the second-chance rule: in the order of opening, skipping once whatever was
 * used since the last look. One that somebody holds is never closed, so that the bound is the limit
 * plus what is held; holders are bounded by the slices that are being sent.
 *
 * <p>The same bound holds for loaded indexes, which live and go with the open segment: two pages of
 * 512 entries each per index, so that 256 open segments have up to 5 MiB of them, and further pages
 * that lookups have read, {@value #INDEX_PAGES_MAX} for all segments together.
 *
 * <p>Lock order: never this object's lock together with a segment's. Safe for use by several
 * threads.
 */
public final class OpenSegments {

  /** Open segments by default. Each is up to three files; a process may open 1,024 by default. */
  public static final int SEGMENTS_MAX_DEFAULT = 256;

  /**
   * Pages of indexes that open segments keep in memory together: 24 MiB at most. Enough for random
   * lookups in ten segments of 1 GiB without a read of their offset indexes.
   */
  public static final int INDEX_PAGES_MAX = 4096;

  private final int segmentsMax;
  private final PageBudget indexPages = new PageBudget(INDEX_PAGES_MAX);
  private final Deque<OpenSegment> clock = new ArrayDeque<>();

  /**
   * Makes an empty set.
   *
   * @param segmentsMax open segments that are not held, 1 or more
   */
  public OpenSegments(int segmentsMax) {
    if (segmentsMax < 1) {
      throw new IllegalArgumentException("segmentsMax is " + segmentsMax + "; at least 1");
    }
    this.segmentsMax = segmentsMax;
  }

  /** What the indexes of open segments may keep in memory. */
  PageBudget indexPages() {
    return indexPages;
  }

  /** The number of segments in the set. */
  public synchronized int size() {
    return clock.size();
  }

  /** Adds a segment that was opened and closes others where there are too many. */
  void admit(OpenSegment opened) {
    for (OpenSegment candidate : addAndChoose(opened)) {
      if (!candidate.owner().closeIfIdle(candidate)) {
        putBack(candidate);
      }
    }
  }

  /** Removes a segment that its owner closes or has closed. */
  synchronized void forget(OpenSegment closed) {
    clock.remove(closed);
  }

  private synchronized List<OpenSegment> addAndChoose(OpenSegment opened) {
    List<OpenSegment> chosen = new ArrayList<>(1);
    int looks = 2 * clock.size();
    while (clock.size() >= segmentsMax && looks-- > 0) {
      OpenSegment oldest = clock.removeFirst();
      if (oldest.isHeld() || oldest.takeSecondChance()) {
        clock.addLast(oldest);
      } else {
        chosen.add(oldest);
      }
    }
    clock.addLast(opened);
    return chosen;
  }

  private synchronized void putBack(OpenSegment held) {
    if (!held.isClosed()) {
      clock.addLast(held);
    }
  }
}
