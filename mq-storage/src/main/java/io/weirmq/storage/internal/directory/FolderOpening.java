package io.weirmq.storage.internal.directory;

import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.RefusedFolderException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.CleanShutdownFile;
import io.weirmq.storage.internal.checkpoint.MetaProperties;
import io.weirmq.storage.internal.checkpoint.MetaPropertiesFile;
import io.weirmq.storage.internal.checkpoint.PartitionMetadataFile;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a data folder, in this order: lock, whose folder it is, clean-shutdown marker, checkpoints,
 * logs. The marker is removed before anything is changed, so that a crash from here on counts as
 * one. Confined to one thread, but for the loading of logs.
 */
final class FolderOpening {

  private static final Logger LOG = LoggerFactory.getLogger(FolderOpening.class);

  private static final UUID NO_TOPIC_ID = new UUID(0, 0);

  private final Path path;
  private final LogDirectoryOptions options;
  private final LogFileSystem files;
  private final InstantSource clock;

  FolderOpening(Path path, LogDirectoryOptions options, LogFileSystem files, InstantSource clock) {
    this.path = path;
    this.options = options;
    this.files = files;
    this.clock = clock;
  }

  LogDirectory open() throws StorageException {
    try {
      // A restart must find its name again.
      files.createDirectoriesDurably(path);
    } catch (IOException e) {
      throw new StorageException("data folder %s can't be made: %s".formatted(path, e), e);
    }
    FolderLock lock = FolderLock.take(files, path);
    try {
      return openLocked(lock);
    } catch (StorageException | RuntimeException e) {
      closeAfter(e, lock);
      throw e;
    } catch (IOException e) {
      closeAfter(e, lock);
      throw new StorageException("data folder %s can't be opened: %s".formatted(path, e), e);
    }
  }

  private static void closeAfter(Exception cause, FolderLock lock) {
    try {
      lock.close();
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  private LogDirectory openLocked(FolderLock lock) throws IOException {
    DataFolder.Claim claim = claim();
    boolean clean = takeCleanShutdownMarker();
    Checkpoints checkpoints = Checkpoints.read(files, path);
    FolderScan scan = FolderScan.of(files, path);
    DataFolder folder = new DataFolder(path, options, files, clock, lock, claim, checkpoints);
    if (!scan.foreign().isEmpty()) {
      LOG.warn("folders that are no logs are left alone: {}", scan.foreign());
    }
    if (scan.partitions().isEmpty() && !checkpoints.recoveryPointsAreWhole()) {
      // From now on a log without a line in the files is one that was never flushed.
      checkpoints.write(List.of());
    }
    scan.deleted().forEach(folder::removeNow);
    folder.purgeDeleted(clock.millis());
    try {
      loadAll(folder, scan.partitions(), clean);
      folder.onLoaded();
    } catch (StorageException e) {
      folder.abandon();
      throw e;
    }
    return folder;
  }

  /** Checks whose folder it is, and makes it ours where it is nobody's. */
  private DataFolder.Claim claim() throws StorageException {
    MetaPropertiesFile file = new MetaPropertiesFile(files, path);
    StateReading<MetaProperties> reading = file.read();
    reading.damages().forEach(damage -> LOG.warn("{}; it is written anew", damage));
    MetaProperties found = reading.value();
    ensureOurs("cluster id", found.clusterId(), options.clusterId());
    Optional<Integer> nodeId =
        found.nodeId().isPresent() ? Optional.of(found.nodeId().getAsInt()) : Optional.empty();
    ensureOurs("broker id", nodeId, options.nodeId());
    UUID directoryId = found.directoryId().orElseGet(UUID::randomUUID);
    MetaProperties ours =
        new MetaProperties(
            OptionalInt.of(options.nodeId()),
            Optional.of(options.clusterId()),
            Optional.of(directoryId));
    if (!reading.isWhole() || !ours.equals(found)) {
      forceNamesAbove();
      write(file, ours);
    }
    return new DataFolder.Claim(directoryId, found.directoryId().isEmpty());
  }

  /**
   * Makes the names of the folder, and of those that it lies in, durable: an attempt before this
   * one may have made them, and been killed before it forced them. Some file systems force no
   * folders, and some folders are not ours to look into; those were there before us.
   */
  private void forceNamesAbove() {
    Path above = path.toAbsolutePath().getParent();
    try {
      while (above != null) {
        files.forceDirectory(above);
        above = above.getParent();
      }
    } catch (IOException e) {
      LOG.info("names in {} are not forced, and those above: {}", above, e.toString());
    }
  }

  /** A folder that has logs opens also where the disk has no room left. */
  private void write(MetaPropertiesFile file, MetaProperties ours) throws StorageException {
    try {
      file.write(ours);
    } catch (StorageException e) {
      if (isEmpty()) {
        throw e;
      }
      LOG.warn("{} is not recorded as ours until the next start: {}", path, e.getMessage());
    }
  }

  private boolean isEmpty() throws StorageException {
    try {
      return FolderScan.of(files, path).partitions().isEmpty();
    } catch (IOException e) {
      throw new StorageException("data folder %s can't be read: %s".formatted(path, e), e);
    }
  }

  private <T> void ensureOurs(String what, Optional<T> found, T expected) throws StorageException {
    if (found.isPresent() && !found.get().equals(expected)) {
      throw new RefusedFolderException(
          "data folder %s belongs to %s %s; expected %s (from %s)"
              .formatted(path, what, found.get(), expected, MetaPropertiesFile.NAME));
    }
  }

  private boolean takeCleanShutdownMarker() throws StorageException {
    CleanShutdownFile marker = new CleanShutdownFile(files, path);
    var reading = marker.read();
    reading.damages().forEach(LOG::warn);
    marker.delete();
    return reading.isWhole();
  }

  private void loadAll(DataFolder folder, Map<TopicPartition, Path> partitions, boolean clean)
      throws StorageException {
    if (!partitions.isEmpty() && !clean) {
      LOG.info("{} was not closed in order; {} logs are recovered", path, partitions.size());
    }
    new BesideEachOther(options.loadThreads(), options.threadFactory())
        .run(partitions.entrySet(), entry -> load(folder, entry.getKey(), entry.getValue(), clean));
  }

  private void load(DataFolder folder, TopicPartition partition, Path logFolder, boolean clean)
      throws StorageException {
    try {
      folder.load(
          partition,
          logFolder,
          topicId(partition, logFolder),
          options.configOf().apply(partition),
          clean);
    } catch (StorageException e) {
      // One log that can't be opened is no reason to keep the others from their users.
      LOG.error("log {} can't be opened and stays as it is", logFolder, e);
      folder.loadFailed(partition, e);
    }
  }

  private UUID topicId(TopicPartition partition, Path logFolder) throws StorageException {
    PartitionMetadataFile file = new PartitionMetadataFile(files, logFolder);
    StateReading<Optional<UUID>> reading = file.read();
    if (reading.value().isPresent()) {
      reading.damages().forEach(damage -> LOG.warn("{}; the topic id is taken", damage));
      return reading.value().get();
    }
    Optional<UUID> known = options.topicIdOf().apply(partition);
    LOG.warn(
        "{} has no topic id of its own ({}); it gets {}",
        logFolder,
        reading.present() ? reading.damages() : "no " + PartitionMetadataFile.NAME,
        known.map(UUID::toString).orElse("none"));
    if (known.isPresent()) {
      file.write(known.get());
    }
    return known.orElse(NO_TOPIC_ID);
  }
}
