package io.weirmq.storage.survey;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.directory.PartitionFolderName;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * What the small files of a partition's folder tell. Immutable.
 *
 * @param folder the partition's folder
 * @param partition topic and number, from the folder's name
 * @param topicId from {@code partition.metadata}; empty where that is missing or damaged
 * @param latestEpoch the largest epoch in {@code leader-epoch-checkpoint}, -1 where there is none
 * @param largestProducerId the largest id in the newest whole snapshot, -1 where there is none
 */
public record SurveyedLog(
    Path folder,
    TopicPartition partition,
    Optional<UUID> topicId,
    int latestEpoch,
    long largestProducerId) {

  /**
   * Gives the folder a name under which it is no log any more; what is in it stays.
   *
   * @param unique goes into the name
   * @return the new path
   * @throws StorageException where it can't be renamed
   */
  public Path setAside(LogFileSystem files, UUID unique) throws StorageException {
    Path aside = folder.resolveSibling(PartitionFolderName.stray(partition, unique));
    try {
      files.rename(folder, aside);
    } catch (IOException e) {
      throw new StorageException("%s can't be renamed to %s: %s".formatted(folder, aside, e), e);
    }
    return aside;
  }
}
