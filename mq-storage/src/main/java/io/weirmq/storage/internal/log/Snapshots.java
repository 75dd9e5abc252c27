package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.producer.ProducerSnapshotFile;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code .snapshot} files of a log: the producers up to some offsets, from which a restart
 * replays the rest. One is written at each roll and at a clean stop; those at the base offset of a
 * segment and the newest one are kept. Confined to the log's writer.
 */
public final class Snapshots {

  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  private final LogFileSystem files;
  private final Path folder;
  private final SortedOffsets offsets;

  public Snapshots(LogFileSystem files, Path folder, Collection<Long> offsets) {
    this.files = files;
    this.folder = folder;
    this.offsets = new SortedOffsets(offsets);
  }

  public boolean has(long offset) {
    return offsets.contains(offset);
  }

  /** The largest offset with a snapshot, -1 where there is none. */
  public long newest() {
    return offsets.last();
  }

  /**
   * Restores the producers from the newest whole snapshot at or below an offset. Damaged ones are
   * removed.
   *
   * @param firstOffset where the log's first segment begins; older snapshots don't count, as the
   *     batches between are gone and can't be replayed
   * @return the offset of that snapshot, from which the log is to be replayed; {@code firstOffset}
   *     where there is none
   * @throws StorageException where a file can't be read or removed
   */
  public long restore(ProducerStates producers, long atMost, long firstOffset)
      throws StorageException {
    return restore(producers, atMost, firstOffset, false);
  }

  /**
   * As {@link #restore}, after a clean stop, when all snapshots are whole: one that has the size of
   * none without producers isn't opened.
   */
  public long restoreBySize(ProducerStates producers, long atMost, long firstOffset)
      throws StorageException {
    return restore(producers, atMost, firstOffset, true);
  }

  private long restore(ProducerStates producers, long atMost, long firstOffset, boolean bySize)
      throws StorageException {
    long offset = offsets.floor(atMost);
    while (offset >= firstOffset) {
      ProducerSnapshotFile file = new ProducerSnapshotFile(files, file(offset));
      StateReading<List<ProducerSnapshotEntry>> reading =
          bySize ? file.readUnlessEmpty() : file.read();
      if (reading.isWhole()) {
        producers.restore(reading.value());
        return offset;
      }
      reading.damages().forEach(damage -> LOG.warn("producer snapshot is dropped: {}", damage));
      remove(offset);
      offset = offsets.floor(atMost);
    }
    producers.clear();
    return firstOffset;
  }

  /**
   * Writes a snapshot, durably.
   *
   * @param offset the log end
   * @throws StorageException where it can't be written
   */
  public void write(ProducerStates producers, long offset) throws StorageException {
    new ProducerSnapshotFile(files, file(offset)).write(producers.snapshot());
    offsets.add(offset);
  }

  /**
   * Writes the snapshot of a roll, which a power cut may tear or take away; an older one and the
   * log stand in for it then. The flush of the segment in front of it makes it durable.
   *
   * @param offset the log end
   * @throws StorageException where it can't be written
   */
  public void writeUnforced(ProducerStates producers, long offset) throws StorageException {
    new ProducerSnapshotFile(files, file(offset)).writeUnforced(producers.snapshot());
    offsets.add(offset);
  }

  /**
   * Writes the snapshot of a stop. One without producers isn't forced: whatever a power cut leaves
   * of it tells the same, or is known by its size as damaged.
   *
   * @param offset the log end
   * @throws StorageException where it can't be written
   */
  public void writeAtStop(ProducerStates producers, long offset) throws StorageException {
    if (producers.isEmpty()) {
      new ProducerSnapshotFile(files, file(offset)).writeUnforced(List.of());
      offsets.add(offset);
    } else {
      write(producers, offset);
    }
  }

  /**
   * Removes the snapshots above an offset.
   *
   * @throws StorageException where a file can't be removed
   */
  public void removeAbove(long offset) throws StorageException {
    for (long known : offsets.toArray()) {
      if (known > offset) {
        remove(known);
      }
    }
  }

  /**
   * Removes the snapshots that belong to no segment, but for the newest.
   *
   * @throws StorageException where a file can't be removed
   */
  public void removeStrays(SegmentList segments) throws StorageException {
    if (offsets.isEmpty()) {
      return;
    }
    long newest = offsets.last();
    for (long offset : offsets.toArray()) {
      boolean atSegment = segments.get(segments.floorIndex(offset)).baseOffset() == offset;
      if (offset != newest && !atSegment) {
        remove(offset);
      }
    }
  }

  private void remove(long offset) throws StorageException {
    try {
      files.deleteIfExists(file(offset));
    } catch (IOException e) {
      throw new StorageException("%s can't be removed: %s".formatted(file(offset), e), e);
    }
    offsets.remove(offset);
  }

  private Path file(long offset) {
    return SegmentFileKind.SNAPSHOT.in(folder, offset);
  }
}
