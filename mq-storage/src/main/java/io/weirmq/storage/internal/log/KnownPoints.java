package io.weirmq.storage.internal.log;

import org.jspecify.annotations.Nullable;

/**
 * Remembers where some batches start, so that a read at the tail needs no index: a consumer that
 * keeps up asks for exactly the offset at which an append began.
 *
 * <p>A table with one place per hash. Puts and gets race without harm: a point is immutable, and
 * any point that is found is right, for the table is replaced as a whole when the log is cut. Safe
 * for use by several threads.
 */
final class KnownPoints {

  /** Points that are remembered per log; a power of two. With its points a table takes 1.2 KiB. */
  private static final int POINTS_MAX = 32;

  private static final long HASH_MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final int HASH_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(POINTS_MAX);

  /** Made with the first point: a log at rest has none. What two makers lose is found again. */
  private @Nullable LogPoint @Nullable [] points;

  void put(LogPoint point) {
    @Nullable LogPoint[] table = points;
    if (table == null) {
      table = new LogPoint[POINTS_MAX];
      points = table;
    }
    table[place(point.offset())] = point;
  }

  @Nullable LogPoint get(long offset) {
    @Nullable LogPoint[] table = points;
    LogPoint point = table == null ? null : table[place(offset)];
    return point != null && point.offset() == offset ? point : null;
  }

  private static int place(long offset) {
    return (int) ((offset * HASH_MULTIPLIER) >>> HASH_SHIFT);
  }
}
