package io.weirmq.storage.internal.segment;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open files of a segment, counted by who holds them.
 *
 * <p>The segment itself holds one count while it offers the files to others, and every user one
 * more. The files are closed when the count falls to zero, which it never leaves again. So a file
 * stays open for a reader whatever happens to its name meanwhile. Safe for use by several threads.
 */
public final class OpenSegment {

  private static final Logger LOG = LoggerFactory.getLogger(OpenSegment.class);

  private final Segment owner;
  private final LogFile log;
  private final int soundFrom;
  private final VerifiedRanges verified = new VerifiedRanges();
  private final AtomicInteger holders = new AtomicInteger(2);

  /** A benign race: a lost update makes the segment look older than it is. */
  private volatile boolean usedSinceLastLook = true;

  /** Guarded by the owner's lock where it is set. */
  private volatile @Nullable SegmentIndexes indexes;

  /** Held by the segment and by the caller. */
  OpenSegment(Segment owner, LogFile log, int soundFrom) {
    this.owner = owner;
    this.log = log;
    this.soundFrom = soundFrom;
  }

  Segment owner() {
    return owner;
  }

  /** The position from which on all was appended while the files were open. */
  public int soundFrom() {
    return soundFrom;
  }

  /** What was read and found sound since the files were opened. */
  VerifiedRanges verified() {
    return verified;
  }

  /** The log file. */
  public LogFile log() {
    return log;
  }

  /**
   * The indexes, opened when they are first asked for.
   *
   * @throws StorageException where they can't be read or made anew
   */
  public SegmentIndexes indexes() throws StorageException {
    SegmentIndexes current = indexes;
    return current != null ? current : owner.openIndexes(this);
  }

  @Nullable SegmentIndexes indexesIfOpen() {
    return indexes;
  }

  void indexes(SegmentIndexes opened) {
    indexes = opened;
  }

  /** Takes a count; false where the files are closed or about to be. */
  boolean tryRetain() {
    int current = holders.get();
    while (current > 0) {
      if (holders.compareAndSet(current, current + 1)) {
        if (!usedSinceLastLook) {
          usedSinceLastLook = true;
        }
        return true;
      }
      current = holders.get();
    }
    return false;
  }

  /** Gives a count back; closes the files with the last one. */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      closeFiles();
    } else if (left < 0) {
      throw new IllegalStateException("released more often than retained: " + log.path());
    }
  }

  /**
   * Takes the segment's own count where nobody else holds one; then the caller closes the files.
   */
  boolean tryRetire() {
    return holders.compareAndSet(1, 0);
  }

  boolean isHeld() {
    return holders.get() > 1;
  }

  boolean isClosed() {
    return holders.get() == 0;
  }

  boolean takeSecondChance() {
    boolean used = usedSinceLastLook;
    usedSinceLastLook = false;
    return used;
  }

  /** Closes the files. What can't be written of an index costs a longer scan later, not data. */
  void closeFiles() {
    SegmentIndexes current = indexes;
    if (current != null) {
      closeOrWarn(current);
    }
    closeOrWarn(log);
  }

  private void closeOrWarn(AutoCloseable file) {
    try {
      file.close();
    } catch (Exception e) {
      LOG.warn("{} could not be closed in order; its indexes may lack entries", log.path(), e);
    }
  }
}
