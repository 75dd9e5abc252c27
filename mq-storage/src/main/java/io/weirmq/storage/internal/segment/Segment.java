package io.weirmq.storage.internal.segment;

import io.weirmq.index.TimeIndex;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A segment of a log: a file of batches that begins at a base offset, with its indexes.
 *
 * <p>At rest a segment is a few fields: its files are opened when somebody {@linkplain #retain()
 * retains} it, and closed when others need the room. Only the last segment of a log is active;
 * batches are appended to it, and its files are written.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>bytes below {@link #sizeBytes()} are whole batches and never change
 *   <li>an index is never the truth: an entry is believed only after the batch that it names was
 *       found where it points, and indexes that are missing or stale are made anew from the batches
 * </ul>
 *
 * <p>What can be asked of a segment only by reading it is in {@link SegmentFacts} and {@link
 * SegmentLookup}; what is known of its transaction index is in {@link SegmentTransactions}. {@link
 * SegmentRepair} makes indexes anew, {@link SegmentCut} shortens.
 *
 * <p>Memory at rest: this object only; paths are put together when they are needed.
 *
 * <p>Single writer, many readers. The object's lock guards opening, closing and replacing files; no
 * batch is read or written under it, except to make indexes anew.
 */
public final class Segment {

  private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

  private static final VarHandle SIZE;

  static {
    try {
      SIZE = MethodHandles.lookup().findVarHandle(Segment.class, "sizeBytes", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The files that belong to a segment, the log first. */
  public static final List<SegmentFileKind> FILES =
      List.of(
          SegmentFileKind.LOG,
          SegmentFileKind.OFFSET_INDEX,
          SegmentFileKind.TIME_INDEX,
          SegmentFileKind.TRANSACTION_INDEX);

  private final SegmentEnvironment environment;
  private final Path folder;
  private final long baseOffset;
  private final int indexIntervalBytes;

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // used through SIZE
  private int sizeBytes;

  private volatile boolean active;
  private volatile boolean indexesStale;

  /** Belongs to {@link SegmentTransactions}. */
  volatile TransactionIndexState transactionState = TransactionIndexState.NONE;

  /** Whether the files still have the suffix of finished output of compaction. */
  private volatile boolean unsettled;

  private volatile @Nullable LargestTimestamp largestTimestamp;
  private volatile Damages damages = Damages.NONE;

  // Set under the lock only.
  private volatile @Nullable OpenSegment open;
  private boolean removed;

  /**
   * Names a segment whose files exist.
   *
   * @param indexIntervalBytes {@code index.interval.bytes}, for indexes that are made anew
   */
  public Segment(
      SegmentEnvironment environment,
      Path folder,
      long baseOffset,
      int sizeBytes,
      int indexIntervalBytes) {
    this.environment = environment;
    this.folder = folder;
    this.baseOffset = baseOffset;
    this.sizeBytes = sizeBytes;
    this.indexIntervalBytes = indexIntervalBytes;
  }

  /**
   * Makes an empty segment that is active.
   *
   * @throws StorageException where the file exists with content or can't be made
   */
  public static Segment create(
      SegmentEnvironment environment, Path folder, long baseOffset, int indexIntervalBytes)
      throws StorageException {
    Segment segment = new Segment(environment, folder, baseOffset, 0, indexIntervalBytes);
    segment.active = true;
    segment.largestTimestamp = new LargestTimestamp(TimeIndex.NO_TIMESTAMP, baseOffset);
    Path file = segment.file(SegmentFileKind.LOG);
    try {
      for (SegmentFileKind kind : FILES) {
        if (kind != SegmentFileKind.LOG) {
          environment.files().deleteIfExists(segment.file(kind));
        }
      }
      takeEmptyFile(environment, file);
    } catch (IOException e) {
      throw new StorageException("segment %s can't be made: %s".formatted(file, e.getMessage()), e);
    }
    return segment;
  }

  /**
   * Names the segment of a log that nothing was written to: empty, active, from offset 0 on. Unlike
   * {@link #create} it touches no file; its first {@link #retain()} makes one.
   */
  public static Segment unmade(
      SegmentEnvironment environment, Path folder, int indexIntervalBytes) {
    Segment segment = new Segment(environment, folder, 0, 0, indexIntervalBytes);
    segment.active = true;
    segment.largestTimestamp = new LargestTimestamp(TimeIndex.NO_TIMESTAMP, 0);
    return segment;
  }

  /** Makes the file, or takes one over that an attempt which failed later has left. */
  private static void takeEmptyFile(SegmentEnvironment environment, Path file) throws IOException {
    try (LogFile log = environment.files().open(file, OpenMode.READ_WRITE)) {
      if (log.size() > 0) {
        throw new StorageException("it exists with %d bytes; expected none".formatted(log.size()));
      }
    }
  }

  /** The offset in the segment's name, at or below that of its first record. */
  public long baseOffset() {
    return baseOffset;
  }

  /** The size of the batches in bytes. */
  public int sizeBytes() {
    return (int) SIZE.getAcquire(this);
  }

  /** Makes bytes readable that were written. Writer only. */
  public void publishSize(int bytes) {
    SIZE.setRelease(this, bytes);
  }

  SegmentEnvironment environment() {
    return environment;
  }

  IndexFiles indexFiles() {
    return new IndexFiles(
        environment,
        file(SegmentFileKind.OFFSET_INDEX),
        file(SegmentFileKind.TIME_INDEX),
        baseOffset,
        indexIntervalBytes);
  }

  /** The path of one of the segment's files. */
  public Path file(SegmentFileKind kind) {
    Path file = kind.in(folder, baseOffset);
    return unsettled ? SegmentSettling.swapOf(file) : file;
  }

  /** Whether the files have the suffix of finished output of compaction. */
  public boolean isUnsettled() {
    return unsettled;
  }

  /**
   * Says that the files have that suffix. The caller holds the lock where others see the segment.
   */
  void markUnsettled() {
    unsettled = true;
  }

  /** Says that the files have their own names. The caller holds the lock. */
  void markSettled() {
    unsettled = false;
  }

  /**
   * Gives output of compaction the names of a segment; see {@link SegmentSettling}. Readers may use
   * it before, meanwhile and afterwards.
   *
   * @throws StorageException where a file can't be renamed; then it goes on under the old names
   */
  public void settle() throws StorageException {
    synchronized (this) {
      if (unsettled && !removed) {
        SegmentSettling.settle(this, environment.files());
      }
    }
  }

  /** Whether batches are appended to this segment. */
  public boolean isActive() {
    return active;
  }

  /** Makes the segment the active one. Writer only. */
  public void activate() {
    boolean begins = !active;
    active = true;
    if (begins) {
      // At rest its file was opened for reading only.
      detach();
    }
  }

  /** Puts the segment at rest. Writer only. */
  public void deactivate() {
    active = false;
  }

  /** The transaction index, and what is known of it. */
  public SegmentTransactions transactions() {
    return new SegmentTransactions(this);
  }

  /**
   * Opens the segment where it isn't, and holds it.
   *
   * @return released by the caller
   * @throws StorageException where it can't be opened, or was removed
   */
  public OpenSegment retain() throws StorageException {
    OpenSegment current = open;
    return current != null && current.tryRetain() ? current : openAndRetain();
  }

  private OpenSegment openAndRetain() throws StorageException {
    OpenSegment opened;
    synchronized (this) {
      OpenSegment current = open;
      if (current != null && current.tryRetain()) {
        return current;
      }
      Path path = file(SegmentFileKind.LOG);
      if (removed) {
        throw new StorageException("segment " + path + " was removed or its log is closed");
      }
      try {
        int size = sizeBytes();
        opened =
            new OpenSegment(
                this,
                environment.files().open(path, active ? OpenMode.READ_WRITE : OpenMode.READ),
                size);
      } catch (IOException e) {
        throw new StorageException("segment %s can't be opened: %s".formatted(path, e), e);
      }
      open = opened;
    }
    environment.openSegments().admit(opened);
    return opened;
  }

  /** Closes the files where nobody holds them; false where somebody does. */
  boolean closeIfIdle(OpenSegment candidate) {
    synchronized (this) {
      if (open != candidate) {
        return true; // who stopped offering it gives the segment's count back
      }
      if (!candidate.tryRetire()) {
        return false;
      }
      open = null;
      // Under the lock: who opens the segment next must find the index entries in the files.
      candidate.closeFiles();
      return true;
    }
  }

  /** Stops offering the open files; those who hold them go on. Index entries must be flushed. */
  void detach() {
    OpenSegment current;
    synchronized (this) {
      current = takeOffer();
    }
    if (current != null) {
      environment.openSegments().forget(current);
      current.release();
    }
  }

  /** Stops offering the open files and returns them. The caller holds the segment's lock. */
  @Nullable OpenSegment takeOffer() {
    OpenSegment current = open;
    open = null;
    return current;
  }

  /**
   * Closes the files once nobody holds them any more; the segment can't be opened again.
   *
   * @throws StorageException where index entries can't be written
   */
  public void close() throws StorageException {
    OpenSegment current = open;
    try {
      if (current != null && current.tryRetain()) {
        try {
          SegmentIndexes indexes = current.indexesIfOpen();
          if (indexes != null) {
            indexes.flush();
          }
        } finally {
          current.release();
        }
      }
    } catch (IOException e) {
      throw new StorageException(
          "indexes of %s can't be written: %s".formatted(file(SegmentFileKind.LOG), e), e);
    } finally {
      synchronized (this) {
        removed = true;
      }
      detach();
    }
  }

  SegmentIndexes openIndexes(OpenSegment holder) throws StorageException {
    synchronized (this) {
      SegmentIndexes current = holder.indexesIfOpen();
      if (current == null) {
        current = SegmentRepair.openOrRebuild(this, holder);
        holder.indexes(current);
      }
      return current;
    }
  }

  /**
   * Whether the index files have to be made anew: a reader met an entry that points to the wrong
   * place, or the disk had no room for them.
   */
  public boolean indexesStale() {
    return indexesStale;
  }

  /** What is known to be damaged. Found when it is read, not before. */
  public Damages damages() {
    return damages;
  }

  /** Notes a damage, once. */
  synchronized void noteDamage(Damage damage) {
    if (damages.startingAt(damage.position()) != null) {
      return;
    }
    damages = damages.with(damage);
    LOG.error(
        "{} at position {}: {}; batches before and behind stay readable",
        file(SegmentFileKind.LOG),
        damage.position(),
        damage.describe());
  }

  /** Notes that an index takes no entry of a new batch, because of what it holds. Writer only. */
  public void noteRefusedEntry(IllegalArgumentException refusal) {
    if (!indexesStale) {
      indexesStale = true;
      LOG.warn("index of {} is made anew: {}", file(SegmentFileKind.LOG), refusal.getMessage());
    }
  }

  /** Notes that an index entry points to the wrong place. */
  void noteMisplacedEntry(String index, long offset, int position) {
    if (!indexesStale) {
      indexesStale = true;
      LOG.warn(
          "{}: no batch with last offset {} starts at position {}; the index is made anew",
          index,
          offset,
          position);
    }
  }

  /**
   * The largest timestamp of the segment; from the time index where it isn't known yet, from the
   * batches where that doesn't tell.
   *
   * @throws StorageException where the segment can't be read
   */
  public LargestTimestamp largestTimestamp() throws StorageException {
    LargestTimestamp known = largestTimestamp;
    if (known != null) {
      return known;
    }
    try (SegmentReading reading = SegmentReading.of(this)) {
      LargestTimestamp found = SegmentLookup.largestTimestamp(reading.holder(), reading.walker());
      largestTimestamp = found;
      return found;
    }
  }

  /**
   * Forgets the largest timestamp, and damage behind the end. Writer only.
   *
   * @param stale whether the index files have to be made anew
   */
  void onCut(boolean stale) {
    damages = damages.below(sizeBytes());
    largestTimestamp = null;
    indexesStale |= stale;
  }

  /**
   * Notes that indexes were made anew from the batches. The caller holds the segment's lock.
   *
   * @param inFiles whether the disk has them; where not, they are made once more later
   */
  void onRebuilt(LargestTimestamp largest, boolean inFiles) {
    largestTimestamp = largest;
    indexesStale = !inFiles;
  }

  /** Tells the largest timestamp. Writer only. */
  public void largestTimestamp(LargestTimestamp largest) {
    if (!largest.equals(largestTimestamp)) {
      largestTimestamp = largest;
    }
  }

  /** Whether the segment was removed, or its log closed. */
  public boolean isRemoved() {
    synchronized (this) {
      return removed;
    }
  }

  /**
   * Renames the segment's files to deleted ones. Who holds the segment goes on reading; it can't be
   * opened again.
   *
   * @return the new names
   * @throws StorageException where a file can't be renamed
   */
  public List<Path> markDeleted() throws StorageException {
    List<Path> renamed = new ArrayList<>();
    synchronized (this) {
      removed = true;
      for (SegmentFileKind kind : FILES) {
        Path from = file(kind);
        Path to = from.resolveSibling(from.getFileName() + SegmentFileKind.DELETED_SUFFIX);
        try {
          if (environment.files().exists(from)) {
            environment.files().rename(from, to);
            renamed.add(to);
          }
        } catch (IOException e) {
          throw new StorageException("%s can't be renamed: %s".formatted(from, e), e);
        }
      }
    }
    detach();
    return renamed;
  }

  /** Base offset, size and state, for messages. */
  @Override
  public String toString() {
    return "%s (%d bytes%s)"
        .formatted(file(SegmentFileKind.LOG), sizeBytes(), active ? ", active" : "");
  }
}
