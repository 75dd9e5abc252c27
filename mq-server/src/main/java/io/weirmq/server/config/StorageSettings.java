package io.weirmq.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings of data folders and their upkeep. Immutable.
 *
 * @param directories the data folders, at least one
 * @param recoveryThreads threads per folder that check logs after an unclean stop
 * @param openFilesMax segment files that are kept open
 * @param retentionCheckInterval time between two looks for segments to remove
 * @param checkpointInterval time between two writes of the checkpoints
 * @param producerExpiryCheckInterval time between two looks for idle producers
 */
public record StorageSettings(
    List<Path> directories,
    int recoveryThreads,
    int openFilesMax,
    Duration retentionCheckInterval,
    Duration checkpointInterval,
    Duration producerExpiryCheckInterval) {

  /** Copies the list. */
  public StorageSettings {
    directories = List.copyOf(directories);
  }

  static StorageSettings of(ConfigValues values) {
    ConfigKey key =
        values.text(StorageKeys.LOG_DIRS).isPresent() ? StorageKeys.LOG_DIRS : StorageKeys.LOG_DIR;
    List<Path> directories = values.list(key).stream().map(Path::of).distinct().toList();
    long checkpointMs =
        Math.min(
            values.longValue(StorageKeys.HIGH_WATERMARK_CHECKPOINT_MS),
            Math.min(
                values.longValue(StorageKeys.RECOVERY_CHECKPOINT_MS),
                values.longValue(StorageKeys.START_CHECKPOINT_MS)));
    return new StorageSettings(
        directories,
        values.intValue(StorageKeys.RECOVERY_THREADS),
        values.intValue(StorageKeys.OPEN_FILES_MAX),
        Duration.ofMillis(values.longValue(StorageKeys.RETENTION_CHECK_MS)),
        Duration.ofMillis(checkpointMs),
        Duration.ofMillis(values.longValue(StorageKeys.PRODUCER_EXPIRATION_CHECK_MS)));
  }
}
