package io.weirmq.storage.internal.log;

/**
 * How far a log is on the disk: the <em>flushed offset</em>, below which all batches are, and the
 * <em>recovery point</em>, up to which a restart after a crash need not look. The second may lag
 * behind the first where an index or a snapshot can't be forced.
 *
 * <p>A flush runs beside the writer and takes long, and the writer may cut the log meanwhile. So
 * each flush names the <em>generation</em> that it took before it looked at the log's end, and a
 * cut begins another: what a flush found before a cut says nothing about the batches that take the
 * place of those cut off, and its result is dropped. The cut itself then lowers both offsets to the
 * new end; what lies below that is the same as before. Neither waits for the other, so that a slow
 * disk does not hold up the writer.
 *
 * <p>Invariants: {@code recoveryPoint <= flushedOffset <= log end}; but for cuts neither goes back.
 * Safe for use by several threads.
 */
final class FlushProgress {

  private volatile int generation;
  private volatile long flushedOffset;
  private volatile long recoveryPoint;

  FlushProgress(long recoveryPoint) {
    this.flushedOffset = recoveryPoint;
    this.recoveryPoint = recoveryPoint;
  }

  /** How often the log was cut. */
  int generation() {
    return generation;
  }

  /** The offset below which all batches are on the disk. */
  long flushedOffset() {
    return flushedOffset;
  }

  /** The offset below which a restart after a crash believes what the files say. */
  long recoveryPoint() {
    return recoveryPoint;
  }

  /**
   * Tells what a flush has put on the disk.
   *
   * @param seenGeneration the generation before the flush looked at the log's end
   * @return false where the log was cut meanwhile, so that nothing was noted
   */
  synchronized boolean raise(int seenGeneration, long newFlushedOffset, long newRecoveryPoint) {
    if (seenGeneration != generation) {
      return false;
    }
    flushedOffset = Math.max(flushedOffset, newFlushedOffset);
    recoveryPoint = Math.max(recoveryPoint, newRecoveryPoint);
    return true;
  }

  /**
   * Notes that the log ends earlier. After the new end was published. Writer only.
   *
   * <p>The recovery point goes below the new end, so that it stays in the segment that is written
   * to again also when the log rolls there.
   *
   * @return whether the recovery point was lowered by it
   */
  synchronized boolean cut(long newEndOffset) {
    long point = Math.max(0, newEndOffset - 1);
    boolean lowered = point < recoveryPoint;
    generation = generation + 1;
    flushedOffset = Math.min(flushedOffset, newEndOffset);
    recoveryPoint = Math.min(recoveryPoint, point);
    return lowered;
  }
}
