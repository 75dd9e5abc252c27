package io.weirmq.replication;

import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data folders of this broker, of which a new log goes to the one with the fewest. One that
 * fails goes from those in use to those that are offline, for good. Safe for use by several
 * threads.
 */
final class LogFolders {

  private static final Logger LOG = LoggerFactory.getLogger(LogFolders.class);

  /** What a log has whose record of the topic id was damaged, and that nobody could tell. */
  private static final UUID LOST_TOPIC_ID = new UUID(0, 0);

  private static final int NAMES_TOLD_MAX = 10;

  /** Partition numbers from here on are not believed: the topic would get as many partitions. */
  private static final int PARTITION_NUMBER_END = 100_000;

  private volatile List<LogDirectory> directories;
  private volatile List<OfflineFolder> offline;

  /** Partitions that were known and had no log. */
  private final Queue<TopicPartition> begunAnew = new ConcurrentLinkedQueue<>();

  /** Where a partition comes from that is looked for. */
  enum Origin {
    /**
     * The metadata of an earlier run: its log may lie in a folder that is offline, and an empty one
     * in another folder would be the loss of all of it.
     */
    BEFORE_START,

    /** A change of the metadata in this run. */
    NEW
  }

  LogFolders(List<LogDirectory> directories, List<OfflineFolder> offline) {
    if (directories.isEmpty()) {
      throw new IllegalArgumentException("at least one data folder is needed");
    }
    this.directories = List.copyOf(directories);
    this.offline = List.copyOf(offline);
  }

  /** The folders that can't be used. */
  List<OfflineFolder> offline() {
    return offline;
  }

  /** The folders in use. */
  List<LogDirectory> all() {
    return directories;
  }

  /** Takes a folder that has failed out of use. */
  synchronized void takeOffline(LogDirectory failed, StorageException cause) {
    List<OfflineFolder> more = new ArrayList<>(offline);
    more.add(new OfflineFolder(failed.path(), cause));
    // Offline first: nobody may see a moment at which it is neither.
    offline = List.copyOf(more);
    directories = directories.stream().filter(each -> each != failed).toList();
  }

  /**
   * Returns the log of a partition of that very topic id; empty where there is none and one may be
   * made. Where a failure has left an empty one beside it, the longer of the two is meant.
   *
   * @param origin where the partition comes from
   * @throws StorageException where there is no log and none may be made
   */
  Optional<PartitionLog> find(TopicPartition name, UUID topicId, Origin origin)
      throws StorageException {
    Optional<PartitionLog> found =
        directories.stream()
            .flatMap(directory -> directory.log(name).stream())
            .filter(log -> log.topicId().equals(topicId))
            .max(Comparator.comparingLong(PartitionLog::logEndOffset));
    if (found.isPresent()) {
      return found;
    }
    for (LogDirectory directory : directories) {
      Optional<StorageException> unopened = directory.unopened(name);
      if (origin == Origin.BEFORE_START && unopened.isPresent()) {
        throw unopened.get();
      }
    }
    if (origin == Origin.BEFORE_START && !offline.isEmpty()) {
      throw new StorageException(
          "its log may lie in a data folder that is offline: "
              + offline.stream().map(folder -> folder.path().toString()).toList());
    }
    return Optional.empty();
  }

  /**
   * Makes the empty log of a partition.
   *
   * @throws StorageException where the disk refuses, or no folder is in use
   */
  PartitionLog create(TopicPartition name, UUID topicId, LogConfig config) throws StorageException {
    return emptiest().create(name, topicId, config);
  }

  /** Notes a partition that was there before this start, had no log, and has an empty one now. */
  void begunAnew(TopicPartition name) {
    begunAnew.add(name);
  }

  /**
   * Warns of partitions that were there before this start and had no log. Of one that was made just
   * before a crash that is normal; of many it tells what a folder had that was given up.
   */
  void tellOfLostLogs() {
    List<TopicPartition> lost = new ArrayList<>();
    for (TopicPartition next = begunAnew.poll(); next != null; next = begunAnew.poll()) {
      lost.add(next);
    }
    if (!lost.isEmpty()) {
      LOG.warn(
          "{} partitions of the metadata have no log in {} and begin empty: {}{}",
          lost.size(),
          directories.stream().map(directory -> directory.path().toString()).toList(),
          lost.subList(0, Math.min(lost.size(), NAMES_TOLD_MAX)),
          lost.size() > NAMES_TOLD_MAX ? " and more" : "");
    }
  }

  private LogDirectory emptiest() throws StorageException {
    List<LogDirectory> inUse = directories;
    if (inUse.size() == 1) {
      return inUse.get(0);
    }
    return inUse.stream()
        .filter(directory -> directory.failure().isEmpty())
        .min(Comparator.comparingInt(directory -> directory.logs().size()))
        .orElseThrow(() -> new StorageException("no data folder is in use any more"));
  }

  /** Takes a detached log away; a failure is logged, and the next start tries again. */
  void delete(PartitionLog log) {
    TopicPartition name = log.topicPartition();
    for (LogDirectory directory : directories) {
      Optional<PartitionLog> found = directory.log(name);
      if (found.isPresent() && found.get().topicId().equals(log.topicId())) {
        delete(directory, name);
      }
    }
  }

  /**
   * Removes the logs of deleted topics that a stop has left behind. A log that the metadata does
   * not know at all is left alone and reported: where the metadata was lost, it is all there is.
   * Where another topic has its name it is set aside, which makes room for that one's log.
   */
  void removeLeftovers(MetadataImage image) {
    for (LogDirectory directory : directories) {
      for (PartitionLog log : directory.logs()) {
        if (image.topic(log.topicId()).isEmpty()) {
          removeLeftover(image, directory, log);
        }
      }
    }
  }

  /**
   * Tells the partitions that logs have and the metadata doesn't, of topics that it knows: the
   * metadata was made anew without them, or put back from an old copy.
   *
   * @return one change per topic
   */
  List<AddPartitions> unknownPartitions(MetadataImage image, int brokerId) {
    Map<UUID, Integer> ends = new HashMap<>();
    for (LogDirectory directory : directories) {
      for (PartitionLog log : directory.logs()) {
        TopicPartition name = log.topicPartition();
        boolean unknown =
            image
                .topic(log.topicId())
                .filter(topic -> topic.name().equals(name.topic()))
                .filter(topic -> topic.partitionCount() <= name.partition())
                .isPresent();
        if (unknown && name.partition() < PARTITION_NUMBER_END) {
          ends.merge(log.topicId(), name.partition() + 1, Math::max);
        }
      }
    }
    List<AddPartitions> changes = new ArrayList<>();
    for (Map.Entry<UUID, Integer> each : ends.entrySet()) {
      TopicMetadata topic = image.topic(each.getKey()).orElseThrow();
      int count = topic.partitionCount();
      LOG.warn(
          "topic {} has {} partitions in the metadata, but logs of {}; it gets as many",
          topic.name(),
          count,
          each.getValue());
      changes.add(
          new AddPartitions(
              topic.id(), count, Collections.nCopies(each.getValue() - count, List.of(brokerId))));
    }
    return changes;
  }

  private static void removeLeftover(
      MetadataImage image, LogDirectory directory, PartitionLog log) {
    TopicPartition name = log.topicPartition();
    boolean nameTaken = image.topic(name.topic()).isPresent();
    if (log.topicId().equals(LOST_TOPIC_ID)) {
      LOG.warn("log {} in {} has lost its topic id; it is left alone", name, directory.path());
    } else if (image.deletedTopics().contains(log.topicId())) {
      delete(directory, name);
    } else if (nameTaken) {
      setAside(directory, log);
    } else {
      LOG.warn(
          "log {} in {} has topic id {}, which the metadata does not know; it is left alone",
          name,
          directory.path(),
          TopicIds.toText(log.topicId()));
    }
  }

  private static void setAside(LogDirectory directory, PartitionLog log) {
    TopicPartition name = log.topicPartition();
    try {
      Path aside = directory.setAside(name);
      LOG.warn(
          "log {} in {} has topic id {}, which the metadata does not know, and another topic has its"
              + " name; it is kept as {}",
          name,
          directory.path(),
          TopicIds.toText(log.topicId()),
          aside.getFileName());
    } catch (StorageException e) {
      LOG.error(
          "log {} in {} is to be set aside at the next start again", name, directory.path(), e);
    }
  }

  private static void delete(LogDirectory directory, TopicPartition name) {
    try {
      directory.delete(name);
    } catch (StorageException e) {
      LOG.error(
          "log {} in {} not removed; tried again at the next start", name, directory.path(), e);
    }
  }
}
