package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.ForceFailedFile;
import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.log.LoadedLog;
import io.weirmq.storage.internal.log.SegmentCheckpoint;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.Segment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers a log behind its recovery point: reads its batches there, cuts behind the last sound
 * one, and makes what is derived from them anew. Made for one log; confined to one thread.
 */
final class LogRecovery {

  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final LogParts parts;
  private final ForceFailedFile forceFailedFile;
  private final boolean hasFailedForce;

  /** As the data folder knows it, or a checkpoint inside a segment that is above it. */
  private long recoveryPoint;

  /**
   * Prepares a recovery.
   *
   * @param hasFailedForce whether a force has failed, so that what it should have covered is to be
   *     written again
   */
  LogRecovery(LogParts parts, ForceFailedFile forceFailedFile, boolean hasFailedForce) {
    this.parts = parts;
    this.forceFailedFile = forceFailedFile;
    this.hasFailedForce = hasFailedForce;
    this.recoveryPoint = parts.options().recoveryPoint();
  }

  /**
   * What a log is after recovery, or without. Immutable.
   *
   * @param segments those that are left
   * @param endOffset the log end
   * @param recoveryPoint offset below which all is on the disk
   * @param recoveredFrom offset from which on batches were read, {@link LoadedLog#NOT_RECOVERED}
   *     where none were
   */
  record Result(SegmentList segments, long endOffset, long recoveryPoint, long recoveredFrom) {}

  /**
   * Recovers the log. Where that fails it may be a force that has failed, which the next start is
   * told.
   */
  Result run(SegmentList segments, CheckpointedStart checkpointed) throws StorageException {
    try {
      return recover(
          segments, checkpointed.find(segments, parts.epochs(), hasFailedForce).orElse(null));
    } catch (StorageException e) {
      forceFailedFile.note(e);
      throw e;
    }
  }

  private Result recover(SegmentList all, @Nullable SegmentCheckpoint begin)
      throws StorageException {
    int first = all.floorIndex(Math.max(0, begin == null ? recoveryPoint : begin.baseOffset()));
    Segment firstSegment = all.get(first);
    long recoveredFrom = begin == null ? firstSegment.baseOffset() : begin.offset();
    recoveryPoint = Math.max(recoveryPoint, begin == null ? 0 : begin.offset());
    LOG.debug("{} is recovered from {}", this, firstSegment);
    if (hasFailedForce) {
      LOG.warn(
          "{} is written again behind offset {}: a force of it had failed ({})",
          this,
          recoveryPoint,
          forceFailedFile);
    }
    if (begin == null) {
      parts.replayProducers(all, firstSegment.baseOffset());
    } else {
      parts.snapshots().removeAbove(firstSegment.baseOffset());
      parts.producers().restore(begin.producers());
    }
    List<EpochStart> epochs =
        new ArrayList<>(begin == null ? epochsBelow(all, first) : epochsBelow(begin.offset()));
    SegmentList segments = all;
    BatchWalkers walkers = parts.identity().environment().walkers();
    BatchWalker walker = walkers.take();
    try {
      for (int i = first; ; i++) {
        SegmentRecovery recovery =
            new SegmentRecovery(segments.get(i), parts.producers(), epochs, recoveryPoint);
        if (i == first && begin != null) {
          recovery.beginBehind(begin);
        }
        int tornBytes = recovery.scan(walker);
        if (tornBytes > 0 || hasLostSegmentEnd(segments, i, recovery.nextOffset())) {
          segments = setAsideBehind(segments, i);
        }
        recovery.cut();
        if (hasFailedForce) {
          recovery.writeAgain();
        }
        if (recovery.nextOffset() <= recoveryPoint) {
          // The next roll may begin at the recovery point, and nobody looks here any more then.
          segments.get(i).transactions().index().force();
          parts.forceNames();
        }
        if (i == segments.size() - 1) {
          parts.epochs().recover(epochs, Long.MAX_VALUE);
          return new Result(segments, recovery.nextOffset(), recoveryPoint, recoveredFrom);
        }
        writeSnapshot(segments.get(i + 1).baseOffset());
      }
    } finally {
      walkers.giveBack(walker);
    }
  }

  /**
   * Whether a segment ends before the next one begins because a power cut took its last batches.
   * Segments follow each other without a gap, but where compaction has taken the last batches away,
   * and that raises the recovery point first.
   */
  private boolean hasLostSegmentEnd(SegmentList segments, int index, long endOffset) {
    long nextBase = segments.nextBaseOffset(index);
    boolean gap = index + 1 < segments.size() && endOffset < nextBase;
    if (gap && nextBase > recoveryPoint && !parts.options().recoveryPointKnown()) {
      LOG.warn(
          "{} ends at offset {}, the next segment begins at {}: taken for compacted, as the recovery"
              + " point of {} is not known",
          segments.get(index),
          endOffset,
          nextBase,
          this);
      return false;
    }
    return gap && nextBase > recoveryPoint;
  }

  /** On a full disk the log opens without; a later start replays more. */
  private void writeSnapshot(long offset) {
    try {
      parts.snapshots().write(parts.producers(), offset);
    } catch (StorageException e) {
      LOG.warn("{} goes without a snapshot of its producers: {}", this, e.getMessage());
    }
  }

  /** The epochs that began before the recovered segments. */
  private List<EpochStart> epochsBelow(SegmentList segments, int first) throws StorageException {
    LeaderEpochs epochs = parts.epochs();
    if (epochs.damages().isEmpty() && !epochs.entries().isEmpty()) {
      return epochsBelow(segments.get(first).baseOffset());
    }
    List<EpochStart> below = new ArrayList<>();
    for (int i = 0; i < first; i++) {
      EpochScan.addEpochs(segments.get(i), below);
    }
    return below;
  }

  private List<EpochStart> epochsBelow(long offset) {
    return parts.epochs().entries().stream().filter(entry -> entry.startOffset() < offset).toList();
  }

  /**
   * A segment in the middle of the unflushed part is damaged: what follows can't be kept. It goes
   * from the end, and durably before the segment itself is cut: a power cut in between leaves
   * segments that follow each other, and nothing comes back later behind new batches.
   */
  private SegmentList setAsideBehind(SegmentList segments, int index) throws StorageException {
    if (index == segments.size() - 1) {
      return segments;
    }
    SegmentList kept = segments.upTo(index + 1);
    for (int i = segments.size() - 1; i > index; i--) {
      LOG.error(
          "{} lies behind the damaged end of {} and is set aside; it was never put on the disk",
          segments.get(i),
          kept.last());
      parts.setAside(segments.get(i));
    }
    parts.forceNames();
    kept.last().activate();
    return kept;
  }

  /** The partition, for messages. */
  @Override
  public String toString() {
    return parts.identity().partition().toString();
  }
}
