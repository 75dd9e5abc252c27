package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a log on the disk and raises the recovery point, up to which a restart after a crash need
 * not look. Confined to the log's writer.
 *
 * <p>Once a file could not be forced, it isn't known what of it the disk holds, and a later force
 * that succeeds says nothing about it: the log then takes no more writes, and the recovery point
 * stays, so that a restart looks at what is really there.
 */
final class LogFlusher {

  /** Linux writes what is older than 30 s out by itself (vm.dirty_expire_centisecs). */
  private static final long SETTLED_MS = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(LogFlusher.class);

  private final LogState state;
  private final InstantSource clock;
  private long lastFlushMs;
  private boolean namesChanged = true;

  /**
   * Whether the log's own folder and topic id may be lost in a power cut. A recovery point above 0
   * is the proof that they were forced: no flush raises it before.
   */
  private boolean birthUnforced;

  LogFlusher(LogState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
    this.lastFlushMs = clock.millis();
    this.birthUnforced = state.recoveryPoint() == 0;
  }

  /** Notes that a file was made, so that the folder is forced with the next flush. */
  void namesChanged() {
    namesChanged = true;
  }

  void flushIfDue(long nowMs) throws StorageException {
    long unflushed = state.endAcquire().offset() - state.recoveryPoint();
    if (unflushed <= 0) {
      lastFlushMs = nowMs;
      return;
    }
    if (unflushed >= state.config().flushMessages()
        || nowMs - lastFlushMs >= state.config().flushMs()) {
      force(); // appends are as durable as they asked for when their batches are
    }
  }

  /** Puts all on the disk, indexes too. */
  void flush() throws StorageException {
    if (!force()) {
      throw new StorageException(
          "indexes in %s can't be forced to the disk".formatted(state.identity().folder()));
    }
  }

  /** Puts batches on the disk, and indexes where they let themselves; returns whether they did. */
  private boolean force() throws StorageException {
    StorageException failure = state.failure();
    if (failure != null) {
      throw failure;
    }
    long end = state.endAcquire().offset();
    if (end == state.recoveryPoint()) {
      return true;
    }
    SegmentList segments = state.segments();
    boolean indexesForced = true;
    for (int i = segments.floorIndex(state.recoveryPoint()); i < segments.size(); i++) {
      forceBatches(segments.get(i));
      indexesForced &= forceIndexes(segments.get(i));
    }
    forceNames();
    if (indexesForced) {
      state.recoveryPoint(end);
    }
    lastFlushMs = clock.millis();
    return indexesForced;
  }

  /**
   * Puts segments on the disk that are not written any more, so that a restart after a crash need
   * not read them. Only such as the operating system has written out by itself by now: forcing them
   * costs nothing then.
   */
  void flushSealed(long nowMs) throws StorageException {
    if (state.failure() != null) {
      return;
    }
    SegmentList segments = state.segments();
    for (int i = segments.floorIndex(state.recoveryPoint()); i < segments.size() - 1; i++) {
      if (nowMs - lastModifiedMs(segments.get(i)) < SETTLED_MS) {
        return;
      }
      forceBatches(segments.get(i));
      segments.get(i).forceIndexes();
      forceNames();
      state.recoveryPoint(segments.nextBaseOffset(i));
    }
  }

  private long lastModifiedMs(Segment segment) throws StorageException {
    Path file = segment.file(SegmentFileKind.LOG);
    try {
      return state.identity().environment().files().lastModifiedMs(file);
    } catch (IOException e) {
      throw new StorageException("age of %s can't be read: %s".formatted(file, e), e);
    }
  }

  private void forceBatches(Segment segment) throws StorageException {
    try {
      segment.forceBatches();
    } catch (StorageException e) {
      state.failure(e);
      throw e;
    }
  }

  /**
   * Indexes can be made anew: that they can't be written holds the recovery point back, no more.
   */
  private boolean forceIndexes(Segment segment) {
    try {
      segment.forceIndexes();
      return true;
    } catch (StorageException e) {
      LOG.warn("{} is on the disk, its indexes are not", segment.file(SegmentFileKind.LOG), e);
      return false;
    }
  }

  /** What has to be on the disk beside the batches before they count as durable. */
  private void forceNames() throws StorageException {
    state.epochs().save();
    if (birthUnforced) {
      state.identity().owner().forceBirth(state.identity().partition());
      birthUnforced = false;
    }
    if (!namesChanged) {
      return;
    }
    try {
      state.identity().environment().files().forceDirectory(state.identity().folder());
    } catch (IOException e) {
      throw new StorageException(
          "names in %s can't be forced to the disk: %s".formatted(state.identity().folder(), e), e);
    }
    namesChanged = false;
  }
}
