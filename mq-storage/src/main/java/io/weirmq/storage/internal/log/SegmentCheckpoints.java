package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.IndexMark;
import io.weirmq.storage.internal.segment.Segment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a busy log gets a {@link SegmentCheckpoint}, so that a start after a crash does not read its
 * active segment from the start: each time that {@code checkpointBytes} were appended to a segment.
 *
 * <p>The writer puts the index entries into their files and remembers what is to be written, at
 * once; it forces nothing. A flush forces batches, indexes and names, and writes the file last. So
 * the file itself is the proof that all below its offset is on the disk, whatever the recovery
 * point says: that is saved seldom. One checkpoint waits at most; while it does no other is made.
 *
 * <p>A cut removes the file durably before the segment is changed, unless the file says nothing of
 * what is cut off, and a flush that is under way does not bring it back: it looks at the
 * generation, see {@link FlushProgress}, under the lock that the removal takes. Nobody forces
 * anything under it.
 *
 * <p>Threads: the writer, but for what its own documentation allows.
 */
final class SegmentCheckpoints {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentCheckpoints.class);

  /** The file may be there; what it says is not known. */
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final long NONE = -1;

  /**
   * Producers up to which the distance is {@code checkpointBytes}; of twice as many it is twice
   * that. So the time that the writer takes to copy them is bounded per byte that is appended; a
   * log with 160,000 of them pays for it as often as for rolls of 1 GiB, which copy them too.
   */
  static final int PRODUCERS_PER_INTERVAL = 10_000;

  /** What a flush is to write. */
  record Asked(int generation, Segment segment, SegmentCheckpoint checkpoint) {}

  private final LogState state;
  private final SegmentCheckpointFile file;
  private final int intervalBytes;

  private volatile @Nullable Asked asked;

  /** The offset in the file. Guarded by the object's lock. */
  private long offsetInFile = UNKNOWN;

  // The last attempt; writer only.
  private @Nullable Segment segment;
  private int position;

  SegmentCheckpoints(LogState state) {
    this.state = state;
    this.file =
        new SegmentCheckpointFile(
            state.identity().environment().files(), state.identity().folder());
    this.intervalBytes = state.identity().environment().checkpointBytes();
  }

  /** Asks for a checkpoint behind what was just appended, where one is due. */
  void appended(ActiveSegment active) {
    Segment written = active.segment();
    int from = written.equals(segment) ? position : 0;
    if (written.sizeBytes() - from < distanceBytes() || asked != null) {
      return;
    }
    segment = written;
    position = written.sizeBytes();
    try {
      Optional<IndexMark> mark = active.markIndexes();
      if (mark.isPresent()) {
        asked = new Asked(state.progress().generation(), written, checkpoint(active, mark.get()));
      }
    } catch (StorageException e) {
      LOG.warn(
          "{} goes without a checkpoint for now; a start after a crash reads more: {}",
          written,
          e.getMessage());
    }
  }

  private long distanceBytes() {
    return (long) intervalBytes * Math.max(1, state.producers().size() / PRODUCERS_PER_INTERVAL);
  }

  private SegmentCheckpoint checkpoint(ActiveSegment active, IndexMark mark)
      throws StorageException {
    Segment written = active.segment();
    long end = state.endAcquire().offset();
    return new SegmentCheckpoint(
        written.baseOffset(),
        end,
        written.sizeBytes(),
        active.lastBatchPosition(),
        active.lastBatchCrc(),
        SegmentCheckpoint.lastEpochBelow(state.epochs().entries(), end),
        written.transactions().exists() ? written.transactions().index().entryCount() : 0,
        0,
        mark,
        state.producers().snapshot());
  }

  /** Whether a flush is asked for. Any thread. */
  boolean isAsked() {
    return asked != null;
  }

  /**
   * Takes what was asked for; a flush calls it, whatever comes of it.
   *
   * @param generation which the flush took before it looked at the end
   * @param end the log end that the flush has seen
   * @return null where nothing was asked for that counts up to that end
   */
  @Nullable Asked take(int generation, long end) {
    Asked taken = asked;
    if (taken == null || taken.checkpoint().offset() > end) {
      return null;
    }
    asked = null;
    return taken.generation() == generation ? taken : null;
  }

  /**
   * Writes the file, once all that it speaks of is forced. Called by a flush.
   *
   * @return whether the file has a new name, which is to be forced
   * @throws StorageException where the disk refuses; the file is as before
   */
  boolean write(Asked taken) throws StorageException {
    SegmentCheckpoint checkpoint = taken.checkpoint();
    int checksum = taken.segment().transactions().index().checksum(checkpoint.abortedCount());
    file.prepare(checkpoint.withAbortedChecksum(checksum));
    synchronized (this) {
      if (state.progress().generation() != taken.generation()) {
        return false;
      }
      file.publish();
      offsetInFile = checkpoint.offset();
      return true;
    }
  }

  /**
   * Forgets what is not true any more of a log that was cut, durably. Behind the change of the
   * generation, in front of the change of files.
   *
   * @throws StorageException where the file can't be removed
   */
  void cut(long newEndOffset) throws StorageException {
    asked = null;
    segment = null;
    synchronized (this) {
      if (offsetInFile < newEndOffset) {
        return;
      }
      offsetInFile = NONE;
    }
    // What a flush puts there from now on is of a later generation, and comes by a later append.
    file.delete();
  }
}
