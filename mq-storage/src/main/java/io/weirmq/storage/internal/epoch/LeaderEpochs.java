package io.weirmq.storage.internal.epoch;

import io.weirmq.storage.EpochEndOffset;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.checkpoint.TextCheckpoint;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * At which offset each leader epoch of a log began, kept in {@code leader-epoch-checkpoint}.
 *
 * <pre>
 *   0        version
 *   2        number of entries
 *   0 0      epoch, start offset
 *   3 1742
 * </pre>
 *
 * <p>Followers and clients find with it where their history left the leader's (KIP-101, KIP-320).
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>epochs and start offsets both rise strictly from entry to entry
 *   <li>an epoch is on the disk at the latest when its first batch is: {@link #save} comes before
 *       the recovery point is raised. What lies behind that is read from the batches again
 * </ul>
 *
 * <p>Single writer, many readers: queries see one whole list. {@link #save} may be called by any
 * thread. Memory: one entry per change of the leader that the log still has records of.
 */
public final class LeaderEpochs {

  /** File name in the partition's folder. */
  public static final String NAME = "leader-epoch-checkpoint";

  /** An epoch that is not known. */
  public static final int NO_EPOCH = -1;

  private static final Logger LOG = LoggerFactory.getLogger(LeaderEpochs.class);

  private final LogFileSystem files;
  private final Path folder;
  private final List<String> damages;

  private volatile List<EpochStart> entries;

  /** Whether the file lacks what the entries say. Writer only. */
  private boolean owed;

  /** Whether the list holds epochs that the file doesn't. */
  private volatile boolean unsaved;

  private LeaderEpochs(
      LogFileSystem files, Path folder, List<EpochStart> entries, List<String> damages) {
    this.files = files;
    this.folder = folder;
    this.entries = List.copyOf(entries);
    this.damages = List.copyOf(damages);
  }

  /**
   * Reads the epochs of a partition's folder. Lines that don't rise are dropped, see {@link
   * #damages()}.
   *
   * @throws StorageException where the file exists and the disk refuses to read it
   */
  public static LeaderEpochs open(LogFileSystem files, Path partitionFolder)
      throws StorageException {
    return open(files, partitionFolder, true);
  }

  /**
   * As {@link #open(LogFileSystem, Path)}, by somebody who has seen the names in the folder.
   *
   * @param exists whether the file is there; where it isn't, nothing is looked for
   */
  public static LeaderEpochs open(LogFileSystem files, Path partitionFolder, boolean exists)
      throws StorageException {
    TextCheckpoint<EpochStart> checkpoint = checkpoint(files, partitionFolder);
    StateReading<List<EpochStart>> reading =
        exists ? checkpoint.read() : new StateReading<>(List.of(), false, List.of());
    List<String> damages = new ArrayList<>(reading.damages());
    List<EpochStart> rising = new ArrayList<>();
    for (EpochStart entry : reading.value()) {
      if (rising.isEmpty() || rises(rising.get(rising.size() - 1), entry)) {
        rising.add(entry);
      } else {
        damages.add(
            "%s: epoch %d at %d does not rise above the entry before"
                .formatted(checkpoint.path(), entry.epoch(), entry.startOffset()));
      }
    }
    return new LeaderEpochs(files, partitionFolder, rising, damages);
  }

  private static TextCheckpoint<EpochStart> checkpoint(LogFileSystem files, Path folder) {
    return new TextCheckpoint<>(files, folder.resolve(NAME), new EpochLine());
  }

  /** What was wrong with the file when it was opened; then the epochs should be rebuilt. */
  public List<String> damages() {
    return damages;
  }

  /** The entries, rising; a snapshot. */
  public List<EpochStart> entries() {
    return entries;
  }

  /** The largest epoch, or -1 where none is known. */
  public int latestEpoch() {
    List<EpochStart> now = entries;
    return now.isEmpty() ? NO_EPOCH : now.get(now.size() - 1).epoch();
  }

  /** The smallest epoch and its start; empty where none is known. */
  public Optional<EpochStart> earliest() {
    List<EpochStart> now = entries;
    return now.isEmpty() ? Optional.empty() : Optional.of(now.get(0));
  }

  /** The largest epoch below another, or -1 where there is none. */
  public int previousEpoch(int epoch) {
    List<EpochStart> now = entries;
    int index = floorByEpoch(now, epoch - 1);
    return index < 0 ? NO_EPOCH : now.get(index).epoch();
  }

  /** The epoch of the record at an offset, or -1 where the offset is before all known ones. */
  public int epochOfOffset(long offset) {
    List<EpochStart> now = entries;
    int index = floorByOffset(now, offset);
    return index < 0 ? NO_EPOCH : now.get(index).epoch();
  }

  /**
   * Answers where an epoch ends.
   *
   * <p>For the current epoch: the log end. For others: the largest known epoch at or below, with
   * the start of the next higher one. Below everything known: the asked epoch with the start of the
   * first. Above the current one: undefined.
   *
   * @param epoch the asked epoch
   * @param currentEpoch the partition's leader epoch now; counts as beginning at the log end where
   *     it has no entry yet
   * @param logEndOffset offset that the next record gets
   */
  public EpochEndOffset endOffsetOf(int epoch, int currentEpoch, long logEndOffset) {
    List<EpochStart> now = entries;
    int latest = now.isEmpty() ? NO_EPOCH : now.get(now.size() - 1).epoch();
    if (epoch < 0 || epoch > Math.max(currentEpoch, latest)) {
      return EpochEndOffset.UNDEFINED;
    }
    if (epoch == currentEpoch) {
      return new EpochEndOffset(epoch, logEndOffset);
    }
    int floor = floorByEpoch(now, epoch);
    long end = floor + 1 < now.size() ? now.get(floor + 1).startOffset() : logEndOffset;
    return new EpochEndOffset(floor < 0 ? epoch : now.get(floor).epoch(), end);
  }

  /**
   * Notes that an epoch begins. Does nothing where the epoch is the latest one and began before.
   * Entries that contradict (a larger epoch, or a start at or behind this one) are removed: the
   * leader's word counts.
   *
   * @throws StorageException where it can't be made durable; then nothing has changed
   */
  public void assign(int epoch, long startOffset) throws StorageException {
    if (!isKnown(epoch, startOffset)) {
      publish(with(epoch, startOffset));
    }
  }

  /**
   * Notes that an epoch begins with a batch, as {@link #assign}, but writes nothing before {@link
   * #save}: until then the batch itself is the record.
   */
  public void note(int epoch, long startOffset) {
    if (!isKnown(epoch, startOffset)) {
      // In this order: who saves meanwhile saves the list, or leaves the mark.
      entries = with(epoch, startOffset);
      unsaved = true;
    }
  }

  /**
   * Writes what was noted, durably; does nothing where nothing was.
   *
   * @throws StorageException where it can't be made durable
   */
  public void save() throws StorageException {
    if (!unsaved) {
      return;
    }
    synchronized (this) {
      unsaved = false;
      try {
        checkpoint(files, folder).write(entries);
      } catch (StorageException e) {
        unsaved = true;
        throw e;
      }
    }
  }

  private boolean isKnown(int epoch, long startOffset) {
    List<EpochStart> now = entries;
    int last = now.size() - 1;
    return last >= 0
        && now.get(last).epoch() == epoch
        && now.get(last).startOffset() <= startOffset;
  }

  private List<EpochStart> with(int epoch, long startOffset) {
    List<EpochStart> next = new ArrayList<>(entries);
    next.removeIf(entry -> entry.epoch() >= epoch || entry.startOffset() >= startOffset);
    next.add(new EpochStart(epoch, startOffset));
    return List.copyOf(next);
  }

  /**
   * Forgets epochs that began at or behind a new log end.
   *
   * @throws StorageException where it can't be made durable; then nothing has changed
   */
  public void truncateFromEnd(long endOffset) throws StorageException {
    List<EpochStart> next = new ArrayList<>(entries);
    if (next.removeIf(entry -> entry.startOffset() >= endOffset)) {
      publish(next);
    }
  }

  /**
   * Takes over what recovery has worked out: entries from the log, without those behind its end.
   * Where the disk has no room for the file, it is written with the next change or by {@link
   * #writeOwed}; until then a restart works them out again.
   *
   * @param recovered rising
   * @param endOffset entries at or behind it are left out
   */
  public void recover(List<EpochStart> recovered, long endOffset) {
    List<EpochStart> kept =
        recovered.stream().filter(entry -> entry.startOffset() < endOffset).toList();
    ensureRising(kept);
    if (kept.equals(entries) && damages.isEmpty()) {
      return;
    }
    try {
      publish(kept);
    } catch (StorageException e) {
      LOG.warn("leader epochs are written later: {}", e.getMessage());
      entries = kept;
      owed = true;
    }
  }

  /**
   * Writes the file where {@link #recover} could not.
   *
   * @throws StorageException where it can't be made durable
   */
  public void writeOwed() throws StorageException {
    if (owed) {
      publish(entries);
    }
  }

  /**
   * Forgets epochs that ended at or below a new log start; the one that contains it begins there
   * from now on.
   *
   * @throws StorageException where it can't be made durable; then nothing has changed
   */
  public void truncateFromStart(long startOffset) throws StorageException {
    List<EpochStart> now = entries;
    int index = floorByOffset(now, startOffset);
    if (index < 0 || (index == 0 && now.get(0).startOffset() == startOffset)) {
      return;
    }
    List<EpochStart> next = new ArrayList<>(now.subList(index, now.size()));
    next.set(0, new EpochStart(next.get(0).epoch(), startOffset));
    publish(next);
  }

  /**
   * Puts other entries in place of all, as after a rebuild from the log.
   *
   * @param replacement rising
   * @throws StorageException where it can't be made durable; then nothing has changed
   */
  public void replaceAll(List<EpochStart> replacement) throws StorageException {
    ensureRising(replacement);
    if (!replacement.equals(entries) || !damages.isEmpty()) {
      publish(replacement);
    }
  }

  private static void ensureRising(List<EpochStart> entries) {
    for (int i = 1; i < entries.size(); i++) {
      if (!rises(entries.get(i - 1), entries.get(i))) {
        throw new IllegalArgumentException("entries don't rise: " + entries);
      }
    }
  }

  private void publish(List<EpochStart> next) throws StorageException {
    synchronized (this) {
      checkpoint(files, folder).write(next);
      entries = List.copyOf(next);
      unsaved = false;
    }
  }

  private static boolean rises(EpochStart before, EpochStart after) {
    return after.epoch() > before.epoch() && after.startOffset() > before.startOffset();
  }

  private static int floorByEpoch(List<EpochStart> entries, int epoch) {
    int index = entries.size() - 1;
    while (index >= 0 && entries.get(index).epoch() > epoch) {
      index--;
    }
    return index;
  }

  private static int floorByOffset(List<EpochStart> entries, long offset) {
    // From the end: nearly all questions are about the latest epochs, and there are few of them.
    int index = entries.size() - 1;
    while (index >= 0 && entries.get(index).startOffset() > offset) {
      index--;
    }
    return index;
  }

  private static final class EpochLine implements TextCheckpoint.LineFormat<EpochStart> {

    @Override
    public void format(EpochStart entry, StringBuilder line) {
      line.append(entry.epoch()).append(' ').append(entry.startOffset());
    }

    @Override
    public Optional<EpochStart> parse(String line) {
      String[] words = line.split("\\s+");
      if (words.length != 2) {
        return Optional.empty();
      }
      try {
        return Optional.of(new EpochStart(Integer.parseInt(words[0]), Long.parseLong(words[1])));
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }
  }
}
