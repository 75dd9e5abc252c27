package io.weirmq.storage.check;

import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.OffsetCheckpoint;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.Damage;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.OpenSegments;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentEnd;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.internal.segment.SegmentVerifier;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.LogFileSystem.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Takes damaged stretches out of the segments of a partition, into files of their own. Confined to
 * one thread; nobody else may have the data folder open.
 *
 * <p>A repaired segment holds the sound batches with the offsets that they had; where some are gone
 * there is a gap, as compaction leaves them. Its indexes are removed, and made anew by the next
 * start. Nothing is thrown away: what is taken out of {@code 0042.log} at position 1234 is kept in
 * {@code 0042.log.damaged-1234}.
 */
public final class PartitionRepair {

  private static final int INDEX_INTERVAL_BYTES = 4096;
  private static final int COPY_BYTES = 64 * 1024;
  private static final String REPAIRED_SUFFIX = ".repaired" + SegmentFileKind.TEMPORARY_SUFFIX;

  private final LogFileSystem files;
  private final Path folder;

  /**
   * Names a partition's folder; nothing is touched.
   *
   * @param folder the partition's folder
   */
  public PartitionRepair(LogFileSystem files, Path folder) {
    this.files = files;
    this.folder = folder;
  }

  /**
   * A stretch that is to be taken out. Immutable.
   *
   * @param file the segment
   * @param position in bytes, where it begins
   * @param lengthBytes its length
   * @param firstOffset the first offset that is lost
   * @param endOffset the offset behind the last one lost, {@link Long#MAX_VALUE} at the end of the
   *     log
   * @param problem what was expected and what was found
   */
  public record Stretch(
      Path file, int position, int lengthBytes, long firstOffset, long endOffset, String problem) {

    /** Where it ends. */
    long endPosition() {
      return (long) position + lengthBytes;
    }

    /** Whether a position lies in it. */
    boolean holds(long where) {
      return where >= position && where < endPosition();
    }

    /** Where it is kept. */
    public Path kept() {
      return file.resolveSibling(file.getFileName() + ".damaged-" + position);
    }
  }

  /**
   * Finds what is damaged. Writes nothing.
   *
   * @throws StorageException where a file can't be read
   */
  public List<Stretch> find() throws StorageException {
    SegmentEnvironment environment =
        new SegmentEnvironment(
            files,
            new OpenSegments(1),
            new BatchWalkers(),
            LogDirectoryOptions.SEGMENT_CHECKPOINT_BYTES_DEFAULT);
    List<Path> segments = segmentFiles();
    LongUnaryOperator epochOf = epochs();
    List<Stretch> found = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      long end = i + 1 < segments.size() ? baseOffset(segments.get(i + 1)) : Long.MAX_VALUE;
      find(environment, segments.get(i), new SegmentEnd(end, epochOf), found);
    }
    return found;
  }

  /**
   * What the file of the epochs says. Below the recovery point that is all; behind it a killed
   * broker may have left batches of epochs that only they tell of.
   */
  private LongUnaryOperator epochs() throws StorageException {
    LeaderEpochs epochs = LeaderEpochs.open(files, folder);
    long recoveryPoint = epochs.damages().isEmpty() ? recoveryPoint() : 0;
    return offset -> offset < recoveryPoint ? epochs.epochOfOffset(offset) : LeaderEpochs.NO_EPOCH;
  }

  private long recoveryPoint() throws StorageException {
    Path file = folder.toAbsolutePath().resolveSibling(OffsetCheckpoint.RECOVERY_POINTS);
    String name = folder.toAbsolutePath().getFileName().toString();
    return new OffsetCheckpoint(files, file)
        .read().value().entrySet().stream()
            .filter(entry -> entry.getKey().toString().equals(name))
            .mapToLong(Map.Entry::getValue)
            .findFirst()
            .orElse(0);
  }

  private void find(SegmentEnvironment environment, Path file, SegmentEnd end, List<Stretch> found)
      throws StorageException {
    int size = sizeOf(file);
    Segment segment =
        new Segment(environment, folder, baseOffset(file), size, INDEX_INTERVAL_BYTES);
    OpenSegment holder = segment.retain();
    try {
      int position = 0;
      while (position < size) {
        position = SegmentVerifier.firstDamage(holder, position, size, end);
        for (Damage damage : segment.damages().all()) {
          if (damage.position() == position && position < size) {
            found.add(
                new Stretch(
                    file,
                    position,
                    damage.endPosition() - position,
                    damage.firstOffset(),
                    damage.endOffset(),
                    damage.problem()));
            position = damage.endPosition();
          }
        }
      }
    } finally {
      holder.release();
      segment.close();
    }
  }

  /**
   * Takes stretches out.
   *
   * @param stretches as {@link #find} found them, of this partition
   * @throws StorageException where a file can't be written; then the segment is as it was
   */
  public void apply(List<Stretch> stretches) throws StorageException {
    for (Path file : stretches.stream().map(Stretch::file).distinct().toList()) {
      List<Stretch> ofFile = stretches.stream().filter(each -> each.file().equals(file)).toList();
      try {
        repair(file, ofFile);
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        throw new StorageException("%s can't be repaired: %s".formatted(file, e), e);
      }
    }
  }

  private void repair(Path file, List<Stretch> stretches) throws IOException {
    Path repaired = file.resolveSibling(file.getFileName() + REPAIRED_SUFFIX);
    files.deleteIfExists(repaired);
    try (LogFile source = files.open(file, OpenMode.READ);
        LogFile target = files.open(repaired, OpenMode.CREATE_NEW)) {
      long from = 0;
      long to = 0;
      for (Stretch stretch : stretches) {
        keep(source, stretch);
        to += copy(source, from, stretch.position(), target, to);
        from = stretch.endPosition();
      }
      copy(source, from, source.size(), target, to);
      target.force();
    }
    files.forceDirectory(folder);
    // The kept stretches are on the disk by now; only then does the segment lose them.
    files.rename(repaired, file);
    long baseOffset = baseOffset(file);
    files.deleteIfExists(SegmentFileKind.OFFSET_INDEX.in(folder, baseOffset));
    files.deleteIfExists(SegmentFileKind.TIME_INDEX.in(folder, baseOffset));
    files.forceDirectory(folder);
  }

  private void keep(LogFile source, Stretch stretch) throws IOException {
    files.deleteIfExists(stretch.kept());
    try (LogFile target = files.open(stretch.kept(), OpenMode.CREATE_NEW)) {
      copy(source, stretch.position(), stretch.endPosition(), target, 0);
      target.force();
    }
  }

  private static long copy(LogFile source, long from, long end, LogFile target, long to)
      throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(COPY_BYTES);
    for (long done = 0; done < end - from; done += chunk.limit()) {
      chunk.clear().limit((int) Math.min(COPY_BYTES, end - from - done));
      source.readFully(chunk, from + done);
      target.writeFully(chunk.flip(), to + done);
    }
    return end - from;
  }

  private List<Path> segmentFiles() throws StorageException {
    try {
      return files.list(folder).stream()
          .filter(file -> SegmentFileKind.LOG.offsetOf(file.getFileName().toString()).isPresent())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(folder, e), e);
    }
  }

  private static long baseOffset(Path file) {
    return SegmentFileKind.LOG.offsetOf(file.getFileName().toString()).orElseThrow();
  }

  private int sizeOf(Path file) throws StorageException {
    try {
      return Math.toIntExact(files.size(file));
    } catch (IOException | ArithmeticException e) {
      throw new StorageException("size of %s can't be had: %s".formatted(file, e), e);
    }
  }
}
