package io.weirmq.storage.internal.directory;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.OffsetCheckpoint;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.log.SegmentedLog;
import io.weirmq.storage.io.LogFileSystem;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The four files of offsets of a data folder. Safe for use by several threads: one file is written
 * at a time.
 *
 * <p>A line names a partition, not a topic id. So before a partition is made anew under an old name
 * the old lines have to go, see {@link #mentions}.
 */
final class Checkpoints {

  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

  private final OffsetCheckpoint recoveryPoints;
  private final OffsetCheckpoint logStarts;
  private final OffsetCheckpoint highWatermarks;
  private final OffsetCheckpoint cleaned;
  private final boolean recoveryPointsAreWhole;
  private final boolean hadCleaned;

  // Read by the threads that load logs, forgotten when they have ended.
  private Map<TopicPartition, Long> readRecoveryPoints;
  private Map<TopicPartition, Long> readLogStarts;
  private Map<TopicPartition, Long> readHighWatermarks;
  private Map<TopicPartition, Long> readCleaned;

  /** Guarded by this. */
  private final Set<TopicPartition> mentioned = new HashSet<>();

  private Checkpoints(LogFileSystem files, Path folder) throws StorageException {
    recoveryPoints = new OffsetCheckpoint(files, folder.resolve(OffsetCheckpoint.RECOVERY_POINTS));
    logStarts = new OffsetCheckpoint(files, folder.resolve(OffsetCheckpoint.LOG_START_OFFSETS));
    highWatermarks = new OffsetCheckpoint(files, folder.resolve(OffsetCheckpoint.HIGH_WATERMARKS));
    cleaned = new OffsetCheckpoint(files, folder.resolve(OffsetCheckpoint.CLEANER_OFFSETS));
    StateReading<Map<TopicPartition, Long>> recovery = read(recoveryPoints);
    recoveryPointsAreWhole = recovery.isWhole();
    readRecoveryPoints = recovery.value();
    readLogStarts = read(logStarts).value();
    readHighWatermarks = read(highWatermarks).value();
    readCleaned = read(cleaned).value();
    mentioned.addAll(readRecoveryPoints.keySet());
    mentioned.addAll(readLogStarts.keySet());
    mentioned.addAll(readHighWatermarks.keySet());
    mentioned.addAll(readCleaned.keySet());
    hadCleaned = !readCleaned.isEmpty();
  }

  /**
   * Forgets the offsets that were read, which are the logs' own by now: a partition at rest should
   * not be paid for twice.
   */
  synchronized void forgetRead(Collection<SegmentedLog> logs) {
    readRecoveryPoints = Map.of();
    readLogStarts = Map.of();
    readHighWatermarks = Map.of();
    readCleaned = Map.of();
    for (SegmentedLog log : logs) {
      // The same partition, but not an object of its own.
      if (mentioned.remove(log.topicPartition())) {
        mentioned.add(log.topicPartition());
      }
    }
  }

  static Checkpoints read(LogFileSystem files, Path folder) throws StorageException {
    return new Checkpoints(files, folder);
  }

  private static StateReading<Map<TopicPartition, Long>> read(OffsetCheckpoint checkpoint)
      throws StorageException {
    StateReading<Map<TopicPartition, Long>> reading = checkpoint.read();
    reading.damages().forEach(damage -> LOG.warn("checkpoint is read in part: {}", damage));
    return reading;
  }

  /** The recovery point as it was read, 0 where it isn't known. */
  long recoveryPoint(TopicPartition partition) {
    return readRecoveryPoints.getOrDefault(partition, 0L);
  }

  /** Whether the file of recovery points was there and whole, so that it lacks none. */
  boolean recoveryPointsAreWhole() {
    return recoveryPointsAreWhole;
  }

  /** The log start offset as it was read, 0 where it isn't known. */
  long logStart(TopicPartition partition) {
    return readLogStarts.getOrDefault(partition, 0L);
  }

  /** The high watermark as it was read, 0 where it isn't known. */
  long highWatermark(TopicPartition partition) {
    return readHighWatermarks.getOrDefault(partition, 0L);
  }

  /** The offset below which the log was compacted as it was read, 0 where it isn't known. */
  long cleaned(TopicPartition partition) {
    return readCleaned.getOrDefault(partition, 0L);
  }

  /** Whether a file may have a line of a partition. */
  synchronized boolean mentions(TopicPartition partition) {
    return mentioned.contains(partition);
  }

  /** Replaces all four files with what the logs have now. */
  synchronized void write(Collection<SegmentedLog> logs) throws StorageException {
    // The recovery point first: one that is too small is always safe.
    Map<TopicPartition, Long> recovery = new HashMap<>();
    Map<TopicPartition, Long> starts = new HashMap<>();
    Map<TopicPartition, Long> watermarks = new HashMap<>();
    for (SegmentedLog log : logs) {
      recovery.put(log.topicPartition(), log.recoveryPoint());
      starts.put(log.topicPartition(), log.logStartOffset());
      watermarks.put(log.topicPartition(), log.highWatermark());
    }
    mentioned.addAll(recovery.keySet());
    recoveryPoints.write(recovery);
    logStarts.write(starts);
    highWatermarks.write(watermarks);
    Map<TopicPartition, Long> cleanedOffsets = cleanedOffsets(logs);
    if (!cleanedOffsets.isEmpty() || hadCleaned) {
      cleaned.write(cleanedOffsets);
    }
    mentioned.retainAll(recovery.keySet());
  }

  /** Replaces the file of recovery points. */
  synchronized void writeRecoveryPoints(Collection<SegmentedLog> logs) throws StorageException {
    Map<TopicPartition, Long> recovery = new HashMap<>();
    for (SegmentedLog log : logs) {
      recovery.put(log.topicPartition(), log.recoveryPoint());
    }
    mentioned.addAll(recovery.keySet());
    recoveryPoints.write(recovery);
  }

  /** Replaces the file of log start offsets, with one that is about to be raised. */
  synchronized void writeLogStart(
      Collection<SegmentedLog> logs, TopicPartition partition, long logStartOffset)
      throws StorageException {
    Map<TopicPartition, Long> starts = new HashMap<>();
    for (SegmentedLog log : logs) {
      starts.put(log.topicPartition(), log.logStartOffset());
    }
    starts.put(partition, logStartOffset);
    mentioned.add(partition);
    logStarts.write(starts);
  }

  /** Replaces the file of offsets of compaction, with one that is changed. */
  synchronized void writeCleaned(
      Collection<SegmentedLog> logs, TopicPartition partition, long cleanedOffset)
      throws StorageException {
    Map<TopicPartition, Long> offsets = cleanedOffsets(logs);
    offsets.put(partition, cleanedOffset);
    mentioned.add(partition);
    cleaned.write(offsets);
  }

  /** Of logs that are or were compacted; the others have no line. */
  private static Map<TopicPartition, Long> cleanedOffsets(Collection<SegmentedLog> logs) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (SegmentedLog log : logs) {
      if (log.cleanedOffset() > log.logStartOffset()) {
        offsets.put(log.topicPartition(), log.cleanedOffset());
      }
    }
    return offsets;
  }
}
