package io.weirmq.storage.internal.log;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes segments from the front of a log: by time, by size, and below the log start. Confined to
 * the log's writer.
 *
 * <p>A segment's age counts from its largest timestamp where that is {@linkplain
 * Timestamps#isBelievable believable}, otherwise from when its file was written last.
 *
 * <p>The order is: log start and segment list are published, then files are renamed, then removed
 * after {@code file.delete.delay.ms}. A crash between leaves segments that the next pass removes.
 */
final class SegmentRemoval {

  private static final Logger LOG = LoggerFactory.getLogger(SegmentRemoval.class);

  private final LogState state;
  private final Snapshots snapshots;

  SegmentRemoval(LogState state, Snapshots snapshots) {
    this.state = state;
    this.snapshots = snapshots;
  }

  long deleteRecordsBefore(long offset) throws StorageException {
    if (offset > state.logStartOffset()) {
      try {
        state.identity().owner().recordLogStart(state.identity().partition(), offset);
      } catch (StorageException e) {
        // Whole segments need no record, the names of the files tell; on a full disk they are what
        // makes room for it.
        removeFirst(countBelow(offset));
        throw e;
      }
      state.logStartOffset(offset);
      state.publishHighWatermarkRelease(state.highWatermarkAcquire().offset());
      forgetEpochsBelowStart();
      removeFirst(countBelow(offset));
    }
    return state.logStartOffset();
  }

  private int countBelow(long offset) {
    SegmentList segments = state.segments();
    int count = 0;
    while (count < segments.size() - 1 && segments.nextBaseOffset(count) <= offset) {
      count++;
    }
    return count;
  }

  /** Epochs that stay for longer answer nobody wrongly; what frees space must not fail by them. */
  private void forgetEpochsBelowStart() {
    try {
      state.epochs().truncateFromStart(state.logStartOffset());
    } catch (StorageException e) {
      LOG.warn("epochs that ended stay for now: {}", e.getMessage());
    }
  }

  int applyRetention(long nowMs) throws StorageException {
    forgetEpochsBelowStart();
    LogConfig config = state.config();
    SegmentList segments = state.segments();
    long highWatermark = state.highWatermarkAcquire().offset();
    long excessBytes =
        config.delete() && config.retentionBytes() >= 0
            ? segments.sizeBytes() - config.retentionBytes()
            : 0;
    int count = 0;
    while (count < segments.size() - 1 && segments.nextBaseOffset(count) <= highWatermark) {
      Segment segment = segments.get(count);
      boolean below = segments.nextBaseOffset(count) <= state.logStartOffset();
      boolean excess = excessBytes > 0 && segment.sizeBytes() <= excessBytes;
      if (!below && !excess && !isExpired(segment, nowMs)) {
        break;
      }
      excessBytes -= segment.sizeBytes();
      count++;
    }
    removeFirst(count);
    return count;
  }

  /** Whether all that is left of the log is an active segment whose time is over. */
  boolean isActiveExpired(long nowMs) throws StorageException {
    SegmentList segments = state.segments();
    return segments.size() == 1
        && segments.last().sizeBytes() > 0
        && state.highWatermarkAcquire().offset() == state.endAcquire().offset()
        && isExpired(segments.last(), nowMs);
  }

  private boolean isExpired(Segment segment, long nowMs) throws StorageException {
    LogConfig config = state.config();
    if (!config.delete() || config.retentionMs() < 0) {
      return false;
    }
    return nowMs - SegmentAge.fromMs(state, segment, nowMs) > config.retentionMs();
  }

  private void removeFirst(int count) throws StorageException {
    if (count == 0) {
      return;
    }
    SegmentList before = state.segments();
    SegmentList after = before.from(count);
    if (after.first().baseOffset() > state.logStartOffset()) {
      state.logStartOffset(after.first().baseOffset());
      state.publishHighWatermarkRelease(state.highWatermarkAcquire().offset());
    }
    state.segments(after);
    for (int i = 0; i < count; i++) {
      removeFiles(before.get(i));
    }
    // Behind the renaming: a file system that loses the names of the segments' files in a power cut
    // loses this file's new name too, and the epochs of what has come back are known.
    forgetEpochsBelowStart();
    snapshots.removeStrays(after);
  }

  /** Takes a segment's files away; they are gone after the delay. */
  void removeFiles(Segment segment) throws StorageException {
    for (Path file : segment.markDeleted()) {
      state.identity().owner().removeLater(file, state.config().fileDeleteDelayMs());
    }
  }
}
