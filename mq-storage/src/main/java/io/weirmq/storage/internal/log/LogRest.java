package io.weirmq.storage.internal.log;

import io.weirmq.storage.internal.segment.Segment;
import org.jspecify.annotations.Nullable;

/**
 * When a log that gets no appends is put to rest: all of it on the disk, with what is derived from
 * the active segment and a snapshot of the producers at the log end, as a clean stop leaves it. A
 * start after a crash then reads a few batches of it, not the active segment.
 *
 * <p>The writer ends the files of the active segment and says at which offset; a flush forces them.
 * It counts only where the log has not changed in between: an append makes it a plain flush, a cut
 * is seen by the generation, see {@link FlushProgress}.
 *
 * <p>One writer; {@link #isDue} may be asked, and {@link #take} called, by any thread.
 */
final class LogRest {

  /** Milliseconds without an append after which a log is put to rest. */
  static final long AFTER_MS = 5 * 60 * 1000;

  private static final long NO_OFFSET = -1;

  /** A log end at which the files of the active segment are whole. */
  private record Point(int generation, long offset) {}

  private final LogState state;

  private volatile long lastAppendMs;
  private volatile long snapshotOffset = NO_OFFSET;
  private volatile @Nullable Point asked;

  /**
   * Begins with a log that was just loaded.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  LogRest(LogState state, Snapshots snapshots, long nowMs) {
    this.state = state;
    this.lastAppendMs = nowMs;
    long end = state.endAcquire().offset();
    if (snapshots.has(end)) {
      this.snapshotOffset = end;
    }
  }

  /** Notes an append. Writer only. */
  void appended(long nowMs) {
    lastAppendMs = nowMs;
  }

  /**
   * Whether the log has had no append for {@link #AFTER_MS} and is not at rest yet.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  boolean isDue(long nowMs) {
    return nowMs - lastAppendMs >= AFTER_MS
        && asked == null
        && state.health().isWritable()
        && !isAtRest();
  }

  /** Whether all is on the disk as a clean stop leaves it. */
  boolean isAtRest() {
    long end = state.endAcquire().offset();
    Segment last = state.segments().last();
    return state.progress().recoveryPoint() == end
        && (last.sizeBytes() == 0 || snapshotOffset == end);
  }

  /** Asks for the disk: the files are whole, with a snapshot at the log end. Writer only. */
  void ask() {
    long end = state.endAcquire().offset();
    snapshotOffset = end;
    asked = new Point(state.progress().generation(), end);
  }

  /** Whether a flush is asked for. */
  boolean isAsked() {
    return asked != null;
  }

  /**
   * Takes what was asked for; a flush calls it, whatever comes of it. What could not be forced is
   * asked for again later.
   *
   * @param generation which the flush took before it looked at the end
   * @param end the log end that the flush has seen
   * @return whether the files are whole at that end
   */
  boolean take(int generation, long end) {
    Point point = asked;
    asked = null;
    return point != null && point.generation() == generation && point.offset() == end;
  }
}
