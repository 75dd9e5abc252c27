package io.weirmq.storage.internal.directory;

import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.internal.checkpoint.PartitionMetadataFile;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sorts the folders in a data folder. A partition's folder has the right name and holds a log file
 * or a record of the topic id; everything else was not made by us, and is left alone. Immutable
 * after the scan.
 */
public final class FolderScan {

  private final Map<TopicPartition, Path> partitions =
      new TreeMap<>(
          Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
  private final Map<String, String> topics = new HashMap<>();
  private final List<Path> deleted = new ArrayList<>();
  private final List<Path> foreign = new ArrayList<>();

  private FolderScan() {}

  /**
   * Sorts what is in a data folder.
   *
   * @throws IOException where the folder, or one in it, can't be listed
   */
  public static FolderScan of(LogFileSystem files, Path folder) throws IOException {
    FolderScan scan = new FolderScan();
    for (Path child : files.list(folder)) {
      if (files.isDirectory(child)) {
        scan.add(files, child);
      }
    }
    return scan;
  }

  private void add(LogFileSystem files, Path child) throws IOException {
    String name = child.getFileName().toString();
    if (PartitionFolderName.isDeleted(name)) {
      deleted.add(child);
      return;
    }
    Optional<TopicPartition> partition = PartitionFolderName.parse(name);
    if (partition.isPresent() && isLog(files, child)) {
      partitions.put(sharing(partition.get()), child);
    } else {
      foreign.add(child);
    }
  }

  /** The same partition; all of a topic have one object for its name. */
  private TopicPartition sharing(TopicPartition found) {
    String known = topics.putIfAbsent(found.topic(), found.topic());
    return known == null ? found : new TopicPartition(known, found.partition());
  }

  /** Whether a folder holds what only a log has. */
  static boolean isLog(LogFileSystem files, Path folder) throws IOException {
    if (files.exists(folder.resolve(PartitionMetadataFile.NAME))) {
      return true;
    }
    for (Path file : files.list(folder)) {
      if (SegmentFileKind.LOG.offsetOf(file.getFileName().toString()).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /** The folders of logs. */
  public Map<TopicPartition, Path> partitions() {
    return partitions;
  }

  /** Folders of logs that were taken away. */
  List<Path> deleted() {
    return deleted;
  }

  /** Folders that are none of ours. */
  List<Path> foreign() {
    return foreign;
  }
}
