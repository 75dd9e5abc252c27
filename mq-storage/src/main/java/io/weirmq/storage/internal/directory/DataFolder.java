package io.weirmq.storage.internal.directory;

import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.CleanShutdownFile;
import io.weirmq.storage.internal.checkpoint.PartitionMetadataFile;
import io.weirmq.storage.internal.log.LoadedLog;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.log.LogOwner;
import io.weirmq.storage.internal.log.SegmentedLog;
import io.weirmq.storage.internal.recovery.LoadOptions;
import io.weirmq.storage.internal.recovery.LogLoader;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.OpenSegments;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data folder that is open.
 *
 * <p>Creating and deleting logs, and closing, exclude each other; readers of the list of logs don't
 * wait. Safe for use by several threads.
 */
public final class DataFolder implements LogDirectory, LogOwner {

  private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);

  /**
   * Under which id the folder is ours.
   *
   * @param directoryId its id
   * @param isNew whether the id was made at this opening
   */
  record Claim(UUID directoryId, boolean isNew) {}

  private final Path path;
  private final LogFileSystem files;
  private final InstantSource clock;
  private final SegmentEnvironment environment;
  private final FolderLock lock;
  private final Claim claim;
  private final Checkpoints checkpoints;
  private final RemovalQueue removals;
  private final BesideEachOther closing;
  private final FolderHealth health;
  private final Map<TopicPartition, SegmentedLog> logs = new ConcurrentHashMap<>();
  private final Map<TopicPartition, StorageException> unopened = new ConcurrentHashMap<>();
  private boolean closed;

  DataFolder(
      Path path,
      LogDirectoryOptions options,
      LogFileSystem files,
      InstantSource clock,
      FolderLock lock,
      Claim claim,
      Checkpoints checkpoints) {
    this.path = path;
    this.files = files;
    this.clock = clock;
    this.lock = lock;
    this.claim = claim;
    this.checkpoints = checkpoints;
    this.removals = new RemovalQueue(files);
    this.health = new FolderHealth(files, path, clock);
    this.closing = new BesideEachOther(options.loadThreads(), options.threadFactory());
    this.environment =
        new SegmentEnvironment(
            files,
            new OpenSegments(options.openSegmentsMax()),
            new BatchWalkers(),
            options.segmentCheckpointBytes());
  }

  /**
   * Opens a data folder, see {@link io.weirmq.storage.LogDirectories#open}.
   *
   * @throws StorageException where it can't be opened
   */
  public static LogDirectory open(
      Path path, LogDirectoryOptions options, LogFileSystem files, InstantSource clock)
      throws StorageException {
    return new FolderOpening(path, options, files, clock).open();
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public UUID directoryId() {
    return claim.directoryId();
  }

  @Override
  public boolean directoryIdIsNew() {
    return claim.isNew();
  }

  @Override
  public List<PartitionLog> logs() {
    return List.copyOf(logs.values());
  }

  @Override
  public Optional<PartitionLog> log(TopicPartition partition) {
    return Optional.ofNullable(logs.get(partition));
  }

  /** Loads the log of a folder and adds it. */
  void load(TopicPartition partition, Path folder, UUID topicId, LogConfig config, boolean clean)
      throws StorageException {
    LogIdentity identity = new LogIdentity(partition, topicId, folder, environment, this);
    LoadOptions options =
        new LoadOptions(
            config,
            clean,
            checkpoints.recoveryPoint(partition),
            checkpoints.recoveryPointsAreWhole(),
            checkpoints.logStart(partition),
            checkpoints.highWatermark(partition));
    SegmentedLog log = SegmentedLog.of(identity, config, LogLoader.load(identity, options), clock);
    try {
      log.settle();
    } catch (StorageException e) {
      // What is settled can be read all the same; whether it can be written the next append sees.
      LOG.error("{} is opened, but not put on the disk: {}", partition, e.getMessage(), e);
    }
    log.cleanedOffset(checkpoints.cleaned(partition));
    logs.put(partition, log);
  }

  /** Notes that all logs that were found have been added. */
  void onLoaded() {
    checkpoints.forgetRead(logs.values());
  }

  /** Notes a log that can't be opened. */
  void loadFailed(TopicPartition partition, StorageException cause) {
    unopened.put(partition, cause);
  }

  @Override
  public Optional<StorageException> unopened(TopicPartition partition) {
    return Optional.ofNullable(unopened.get(partition));
  }

  @Override
  public Optional<StorageException> failure() {
    return Optional.ofNullable(health.failure());
  }

  @Override
  public void diskRefused(StorageException cause) {
    health.refused(cause);
  }

  @Override
  public synchronized PartitionLog create(TopicPartition partition, UUID topicId, LogConfig config)
      throws StorageException {
    ensureOpen();
    StorageException cause = unopened.get(partition);
    if (cause != null) {
      throw new StorageException(
          "the log of %s in %s can't be opened: %s".formatted(partition, path, cause.getMessage()),
          cause);
    }
    StorageException failure = health.failure();
    if (failure != null) {
      throw failure;
    }
    Path folder = path.resolve(partition.toString());
    try {
      boolean isLeftOver = files.exists(folder);
      if (logs.containsKey(partition) || (isLeftOver && isTaken(folder))) {
        throw new StorageException("folder %s exists".formatted(folder));
      }
      if (checkpoints.mentions(partition)) {
        // Lines of a log that had the name before would be taken for this one's.
        checkpoints.write(logs.values());
      }
      return make(partition, topicId, folder, isLeftOver, config);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("folder %s can't be made: %s".formatted(folder, e), e);
    }
  }

  private PartitionLog make(
      TopicPartition partition, UUID topicId, Path folder, boolean isLeftOver, LogConfig config)
      throws IOException {
    try {
      files.createDirectories(folder);
      new PartitionMetadataFile(files, folder).writeUnforced(topicId);
      LogIdentity identity = new LogIdentity(partition, topicId, folder, environment, this);
      LoadOptions options = new LoadOptions(config, true, 0, true, 0, 0);
      LoadedLog loaded =
          isLeftOver ? LogLoader.load(identity, options) : LogLoader.begin(identity, options);
      SegmentedLog log = SegmentedLog.of(identity, config, loaded, clock);
      logs.put(partition, log);
      return log;
    } catch (IOException e) {
      takeBack(folder, e);
      health.refused(new StorageException("folder %s can't be made: %s".formatted(folder, e), e));
      throw e;
    }
  }

  /** What is left of a log that was never there would stand in the way of the next attempt. */
  private void takeBack(Path folder, IOException cause) {
    try {
      if (files.isDirectory(folder)) {
        for (Path file : files.list(folder)) {
          files.deleteIfExists(file);
        }
        files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** A folder that a crash left before a whole file was in it is free. */
  private boolean isTaken(Path folder) throws IOException {
    return !files.isDirectory(folder)
        || files.list(folder).stream()
            .anyMatch(file -> !file.toString().endsWith(SegmentFileKind.TEMPORARY_SUFFIX));
  }

  @Override
  public synchronized void delete(TopicPartition partition) throws StorageException {
    SegmentedLog log = ensureHas(partition);
    Path renamed = path.resolve(PartitionFolderName.deleted(partition, UUID.randomUUID()));
    long dueMs = clock.millis() + log.config().fileDeleteDelayMs();
    takeAway(log, renamed, () -> removals.add(renamed, dueMs));
  }

  @Override
  public synchronized Path setAside(TopicPartition partition) throws StorageException {
    SegmentedLog log = ensureHas(partition);
    Path renamed = path.resolve(PartitionFolderName.stray(partition, UUID.randomUUID()));
    takeAway(log, renamed, () -> {});
    return renamed;
  }

  private SegmentedLog ensureHas(TopicPartition partition) throws StorageException {
    ensureOpen();
    SegmentedLog log = logs.get(partition);
    if (log == null) {
      throw new StorageException("%s has no log of %s".formatted(path, partition));
    }
    return log;
  }

  private void takeAway(SegmentedLog log, Path renamed, Runnable onRenamed)
      throws StorageException {
    TopicPartition partition = log.topicPartition();
    Path folder = path.resolve(partition.toString());
    try {
      files.rename(folder, renamed);
    } catch (IOException e) {
      throw new StorageException("%s can't be renamed to %s: %s".formatted(folder, renamed, e), e);
    }
    logs.remove(partition);
    try {
      onRenamed.run();
      files.forceDirectory(path);
    } catch (IOException e) {
      throw new StorageException(
          "%s is %s now, but a power cut may undo that: %s".formatted(folder, renamed, e), e);
    } finally {
      log.abandon();
    }
  }

  @Override
  public void recordLogStart(TopicPartition partition, long logStartOffset)
      throws StorageException {
    checkpoints.writeLogStart(logs.values(), partition, logStartOffset);
  }

  @Override
  public void recordRecoveryPoints() throws StorageException {
    checkpoints.writeRecoveryPoints(logs.values());
  }

  @Override
  public void forceBirth(TopicPartition partition) throws StorageException {
    new PartitionMetadataFile(files, path.resolve(partition.toString())).forceContent();
    try {
      files.forceDirectory(path);
    } catch (IOException e) {
      throw new StorageException(
          "name of %s in %s can't be forced: %s".formatted(partition, path, e), e);
    }
  }

  @Override
  public void recordCleaned(TopicPartition partition, long cleanedOffset) throws StorageException {
    checkpoints.writeCleaned(logs.values(), partition, cleanedOffset);
  }

  @Override
  public void removeLater(Path file, long delayMs) {
    removals.add(file, clock.millis() + delayMs);
  }

  /** Removes a folder that was taken away before the last stop. */
  void removeNow(Path folder) {
    removals.add(folder, Long.MIN_VALUE);
  }

  @Override
  public void writeCheckpoints() throws StorageException {
    try {
      checkpoints.write(logs.values());
    } catch (StorageException e) {
      health.refused(e);
      throw e;
    }
  }

  @Override
  public void purgeDeleted(long nowMs) {
    removals.removeDue(nowMs);
  }

  private void ensureOpen() throws StorageException {
    if (closed) {
      throw new StorageException("data folder " + path + " is closed");
    }
  }

  @Override
  public synchronized void close() throws StorageException {
    if (closed) {
      return;
    }
    closed = true;
    StorageException failure = null;
    try {
      closing.run(logs.values(), SegmentedLog::close);
    } catch (StorageException e) {
      failure = e;
    }
    try {
      checkpoints.write(logs.values());
      if (failure == null) {
        new CleanShutdownFile(files, path).write(CleanShutdownFile.NO_BROKER_EPOCH);
      }
    } catch (StorageException e) {
      failure = joined(failure, e);
    }
    try {
      lock.close();
    } catch (StorageException e) {
      failure = joined(failure, e);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Closes everything without a trace, after opening has failed. */
  void abandon() throws StorageException {
    for (SegmentedLog log : logs.values()) {
      log.abandon();
    }
  }

  private static StorageException joined(
      @org.jspecify.annotations.Nullable StorageException first, StorageException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }

  /** The folder and the number of logs, for messages. */
  @Override
  public String toString() {
    return path + " (" + logs.size() + " logs)";
  }
}
