package io.weirmq.storage.survey;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.MetaProperties;
import io.weirmq.storage.internal.checkpoint.MetaPropertiesFile;
import io.weirmq.storage.internal.checkpoint.PartitionMetadataFile;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.directory.FolderScan;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.producer.ProducerSnapshotFile;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What the files of a data folder tell. Immutable.
 *
 * @param folder the data folder
 * @param clusterId from {@code meta.properties}; empty where that is missing or damaged
 * @param logs the partitions, by topic and number
 * @param refusals what the disk refused to read: that much is not known
 */
public record FolderSurvey(
    Path folder, Optional<String> clusterId, List<SurveyedLog> logs, List<String> refusals) {

  /** Copies the lists. */
  public FolderSurvey {
    logs = List.copyOf(logs);
    refusals = List.copyOf(refusals);
  }

  /**
   * Looks at a data folder. Reads a few small files per partition, however large the logs are. One
   * that can't be read is a refusal, and counts as missing.
   *
   * @throws StorageException where there is no such folder, or it can't be listed
   */
  public static FolderSurvey of(LogFileSystem files, Path folder) throws StorageException {
    List<String> refusals = new ArrayList<>();
    List<SurveyedLog> logs = new ArrayList<>();
    try {
      for (Map.Entry<TopicPartition, Path> each :
          FolderScan.of(files, folder).partitions().entrySet()) {
        logs.add(survey(files, each.getKey(), each.getValue(), refusals));
      }
    } catch (IOException e) {
      throw new StorageException("data folder %s can't be read: %s".formatted(folder, e), e);
    }
    StateReading<MetaProperties> properties =
        orNothing(
            () -> new MetaPropertiesFile(files, folder).read(),
            new StateReading<>(MetaProperties.EMPTY, false, List.of()),
            refusals);
    return new FolderSurvey(folder, properties.value().clusterId(), logs, refusals);
  }

  /** Whether anything tells that the folder was used by a broker. */
  public boolean isUsed() {
    return clusterId.isPresent() || !logs.isEmpty();
  }

  private static SurveyedLog survey(
      LogFileSystem files, TopicPartition partition, Path folder, List<String> refusals) {
    Optional<UUID> topicId =
        orNothing(
            () -> new PartitionMetadataFile(files, folder).read().value(),
            Optional.empty(),
            refusals);
    int latestEpoch =
        orNothing(
            () -> LeaderEpochs.open(files, folder).latestEpoch(), LeaderEpochs.NO_EPOCH, refusals);
    long largestProducerId = orNothing(() -> largestProducerId(files, folder), -1L, refusals);
    return new SurveyedLog(folder, partition, topicId, latestEpoch, largestProducerId);
  }

  private static long largestProducerId(LogFileSystem files, Path folder) throws StorageException {
    List<Path> snapshots;
    try {
      snapshots =
          files.list(folder).stream()
              .filter(each -> SegmentFileKind.SNAPSHOT.offsetOf(nameOf(each)).isPresent())
              .sorted(Comparator.comparing(FolderSurvey::nameOf).reversed())
              .toList();
    } catch (IOException e) {
      throw new StorageException("folder %s can't be read: %s".formatted(folder, e), e);
    }
    for (Path snapshot : snapshots) {
      StateReading<List<ProducerSnapshotEntry>> reading =
          new ProducerSnapshotFile(files, snapshot).read();
      if (reading.isWhole()) {
        return reading.value().stream()
            .mapToLong(ProducerSnapshotEntry::producerId)
            .max()
            .orElse(-1);
      }
    }
    return -1;
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString();
  }

  private static <T> T orNothing(Look<T> look, T nothing, List<String> refusals) {
    try {
      return look.look();
    } catch (StorageException e) {
      refusals.add(String.valueOf(e.getMessage()));
      return nothing;
    }
  }

  /** What is read. */
  @FunctionalInterface
  private interface Look<T> {
    T look() throws StorageException;
  }
}
