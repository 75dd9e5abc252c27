package io.weirmq.replication;

import io.weirmq.replication.LogFolders.Origin;
import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataChange.ForgetDeletedTopics;
import io.weirmq.replication.metadata.MetadataChange.RaiseLeaderEpoch;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of which this broker holds a copy.
 *
 * <p>Follows the metadata: a topic that appears gets its logs, one that disappears loses them, and
 * changed configurations reach the logs. Each log belongs to one folder and to one pipeline, which
 * is picked by the partition's name.
 *
 * <p>A log is known by its topic id, so that what is left of a deleted topic is never taken for a
 * new one of the same name.
 *
 * <p>A partition whose log can't be made or used is <em>offline</em>: it is not found, and {@link
 * #offlineReason} tells why. {@link #checkFolders} takes those of a failed folder offline, and
 * makes logs that could not be made before.
 *
 * <p>Safe for use by several threads; looking up takes no lock. Changes come on the metadata
 * store's thread.
 */
public final class HostedPartitions implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HostedPartitions.class);

  /** Logs that are tried in one look at the folders, so that changes don't wait long. */
  private static final int TRIED_AT_ONCE_MAX = 1_000;

  private final int brokerId;
  private final MetadataStore store;
  private final LogFolders folders;
  private final List<AppendPipeline> pipelines;
  private final PartitionConfigs configs;

  private final Map<String, HostedTopic> topicsByName = new ConcurrentHashMap<>();
  private final Map<UUID, HostedTopic> topicsById = new ConcurrentHashMap<>();
  private final OfflinePartitions offline = new OfflinePartitions();

  /** Guards changes to the maps; never held by lookups. */
  private final Object changeLock = new Object();

  /** What the partitions follow; guarded by {@link #changeLock}. */
  private MetadataImage followed;

  private boolean closed;

  private HostedPartitions(
      int brokerId,
      MetadataStore store,
      LogFolders folders,
      List<AppendPipeline> pipelines,
      PartitionConfigs configs) {
    this.brokerId = brokerId;
    this.store = store;
    this.folders = folders;
    this.pipelines = List.copyOf(pipelines);
    this.configs = configs;
    this.followed = store.image();
  }

  /** Opens the partitions where all folders are in use, see the other method. */
  public static HostedPartitions open(
      int brokerId,
      MetadataStore store,
      List<LogDirectory> directories,
      List<AppendPipeline> pipelines,
      PartitionConfigs configs) {
    return open(brokerId, store, directories, List.of(), pipelines, configs);
  }

  /**
   * Opens the partitions of the store's image and follows it from there. Blocks until the logs are
   * attached; removes what is left of deleted topics.
   *
   * @param brokerId id of this broker
   * @param store open
   * @param directories open, at least one; stay the caller's, to be closed after this
   * @param offlineFolders folders that can't be used; partitions that may lie there are offline
   * @param pipelines open, at least one; stay the caller's, to be closed after this
   * @param configs settings per topic
   */
  public static HostedPartitions open(
      int brokerId,
      MetadataStore store,
      List<LogDirectory> directories,
      List<OfflineFolder> offlineFolders,
      List<AppendPipeline> pipelines,
      PartitionConfigs configs) {
    if (pipelines.isEmpty()) {
      throw new IllegalArgumentException("at least one pipeline is needed");
    }
    HostedPartitions hosted =
        new HostedPartitions(
            brokerId, store, new LogFolders(directories, offlineFolders), pipelines, configs);
    hosted.start();
    return hosted;
  }

  /** Returns the partition of a topic name; empty where this broker does not hold it. */
  public Optional<Partition> find(String topic, int partition) {
    HostedTopic hosted = topicsByName.get(topic);
    return hosted == null ? Optional.empty() : hosted.find(partition);
  }

  /** Returns the partition of a topic id; empty where this broker does not hold it. */
  public Optional<Partition> find(UUID topicId, int partition) {
    HostedTopic hosted = topicsById.get(topicId);
    return hosted == null ? Optional.empty() : hosted.find(partition);
  }

  /** Returns why a partition that this broker should hold has no log; empty where all is well. */
  public Optional<StorageException> offlineReason(TopicPartition partition) {
    return offline.reason(partition);
  }

  /** The number of partitions that this broker should hold and has no log of. */
  public int offlineCount() {
    return offline.count();
  }

  /** All partitions held now; a copy in no particular order. */
  public List<Partition> all() {
    List<Partition> all = new ArrayList<>();
    for (HostedTopic topic : topicsByName.values()) {
      topic.forEach(all::add);
    }
    return all;
  }

  /** The folders that are in use. */
  public List<LogDirectory> directories() {
    return folders.all();
  }

  /** The folders that can't be used. */
  public List<OfflineFolder> offlineFolders() {
    return folders.offline();
  }

  /**
   * Takes the partitions of folders that have failed offline, and makes the logs of partitions that
   * the disk refused to make before. To be called now and then; blocks while the disk works.
   */
  public void checkFolders() {
    synchronized (changeLock) {
      if (closed) {
        return;
      }
      for (LogDirectory directory : folders.all()) {
        directory.failure().ifPresent(cause -> takeOffline(directory, cause));
      }
      retryUncreated();
    }
  }

  private void takeOffline(LogDirectory directory, StorageException cause) {
    folders.takeOffline(directory, cause);
    int before = offline.count();
    topicsById.forEach((id, topic) -> takeOffline(id, topic, directory, cause));
    LOG.error(
        "data folder {} is offline until the broker is started again, with {} partitions in it",
        directory.path(),
        offline.count() - before);
  }

  private void takeOffline(
      UUID topicId, HostedTopic topic, LogDirectory directory, StorageException cause) {
    @Nullable Partition[] partitions = topic.partitions(topic.partitionCount());
    List<Partition> taken = new ArrayList<>();
    topic.forEach(
        partition -> {
          if (directory.log(partition.topicPartition()).equals(Optional.of(partition.log()))) {
            offline.lost(partition.topicPartition(), cause);
            partitions[partition.topicPartition().partition()] = null;
            taken.add(partition);
          }
        });
    if (!taken.isEmpty()) {
      publish(topicId, topic.name(), partitions);
    }
    // Nobody waits for it: the disk may not answer at all.
    taken.forEach(Partition::close);
  }

  private void retryUncreated() {
    for (TopicPartition name : offline.uncreated(TRIED_AT_ONCE_MAX)) {
      Optional<TopicMetadata> topic = followed.topic(name.topic());
      HostedTopic hosted = topicsByName.get(name.topic());
      if (topic.isEmpty() || hosted == null) {
        continue;
      }
      @Nullable Partition[] partitions = hosted.partitions(hosted.partitionCount());
      LogConfig config = configs.logConfig(followed, topic.get());
      int minInSyncReplicas = configs.minInSyncReplicas(followed, topic.get());
      try {
        partitions[name.partition()] = make(topic.get(), name, config, minInSyncReplicas);
      } catch (StorageException e) {
        offline.uncreated(name, e);
        continue;
      }
      publish(topic.get(), partitions);
      offline.remove(name);
      LOG.info("partition {} is online: its log could be made", name);
    }
  }

  private Partition make(
      TopicMetadata topic, TopicPartition name, LogConfig config, int minInSyncReplicas)
      throws StorageException {
    PartitionLog log = folders.create(name, topic.id(), config);
    PartitionMetadata metadata = topic.partitions().get(name.partition());
    return Partition.open(brokerId, log, pipelineOf(name), metadata, minInSyncReplicas);
  }

  /**
   * Closes every partition and waits until the pipelines have let go of the logs. Pipelines and
   * folders are closed after this, by their owner. Closing again does nothing.
   */
  @Override
  public void close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    synchronized (changeLock) {
      if (closed) {
        return;
      }
      closed = true;
      all().forEach(partition -> closing.add(partition.close()));
      topicsByName.clear();
      topicsById.clear();
    }
    closing.forEach(future -> WriterTasks.await("closing", future));
  }

  private void start() {
    Set<UUID> gone;
    List<RaiseLeaderEpoch> raises = new ArrayList<>();
    synchronized (changeLock) {
      MetadataImage image = store.subscribe(this::onChange);
      followed = image;
      gone = image.deletedTopics();
      folders.removeLeftovers(image);
      image.topics().forEach(topic -> host(image, topic, Origin.BEFORE_START));
      folders.tellOfLostLogs();
    }
    // They were in a folder that was not there when the metadata was made anew.
    folders.unknownPartitions(store.image(), brokerId).forEach(this::add);
    synchronized (changeLock) {
      followed.topics().forEach(topic -> addStaleEpochs(topic, raises));
    }
    raises.forEach(this::raise);
    WriterTasks.runAll("high watermark", all(), Partition::recoverHighWatermark);
    if (!gone.isEmpty()) {
      forget(gone);
    }
  }

  private void onChange(MetadataImage before, MetadataImage after) {
    synchronized (changeLock) {
      if (closed) {
        return;
      }
      followed = after;
      // Removals first: a topic that was made again takes the names of the old one.
      for (TopicMetadata old : before.topics()) {
        if (after.topic(old.id()).isEmpty()) {
          remove(old);
        }
      }
      boolean brokerConfigsChanged = !sameBrokerConfigs(before, after);
      for (TopicMetadata topic : after.topics()) {
        TopicMetadata old = before.topic(topic.id()).orElse(null);
        if (old == null) {
          host(after, topic, Origin.NEW);
        } else if (!topic.equals(old) || brokerConfigsChanged) {
          update(before, after, old, topic);
        }
      }
    }
  }

  private static boolean sameBrokerConfigs(MetadataImage before, MetadataImage after) {
    return before.brokerConfigs().equals(after.brokerConfigs())
        && before
            .brokerConfigs(OptionalInt.empty())
            .equals(after.brokerConfigs(OptionalInt.empty()));
  }

  private void host(MetadataImage image, TopicMetadata topic, Origin origin) {
    publish(topic, hostFrom(0, new Partition[topic.partitionCount()], image, topic, origin));
  }

  /** Fills the array from an index on with the partitions that this broker holds. */
  private @Nullable Partition[] hostFrom(
      int first,
      @Nullable Partition[] partitions,
      MetadataImage image,
      TopicMetadata topic,
      Origin origin) {
    LogConfig config = configs.logConfig(image, topic);
    int minInSyncReplicas = configs.minInSyncReplicas(image, topic);
    for (int number = first; number < partitions.length; number++) {
      PartitionMetadata metadata = topic.partitions().get(number);
      if (metadata.replicas().contains(brokerId)) {
        partitions[number] = hostOne(topic, number, config, minInSyncReplicas, origin);
      }
    }
    return partitions;
  }

  private @Nullable Partition hostOne(
      TopicMetadata topic, int number, LogConfig config, int minInSyncReplicas, Origin origin) {
    TopicPartition name = new TopicPartition(topic.name(), number);
    PartitionMetadata metadata = topic.partitions().get(number);
    Optional<PartitionLog> found;
    try {
      found = folders.find(name, topic.id(), origin);
    } catch (StorageException e) {
      // Thousands may be, and for one reason, which was told with its stack trace.
      offline.lost(name, e);
      LOG.error("partition {} is offline: its log can't be used: {}", name, e.getMessage());
      return null;
    }
    if (found.isPresent()) {
      return Partition.open(brokerId, found.get(), pipelineOf(name), metadata, minInSyncReplicas);
    }
    try {
      Partition made = make(topic, name, config, minInSyncReplicas);
      if (origin == Origin.BEFORE_START) {
        folders.begunAnew(name);
      }
      return made;
    } catch (StorageException e) {
      offline.uncreated(name, e);
      LOG.error("partition {} is offline until its log can be made: {}", name, e.getMessage());
      return null;
    }
  }

  /** Metadata that was put back from a copy may know lower epochs than the logs have. */
  private void addStaleEpochs(TopicMetadata topic, List<RaiseLeaderEpoch> raises) {
    HostedTopic hosted = topicsById.get(topic.id());
    if (hosted == null) {
      return;
    }
    hosted.forEach(
        partition -> {
          int inLog = partition.log().latestEpoch();
          if (inLog > partition.leaderEpoch()) {
            LOG.warn("{} has leader epoch {} in its log; it is raised", partition, inLog);
            int number = partition.topicPartition().partition();
            raises.add(new RaiseLeaderEpoch(topic.id(), number, inLog + 1));
          }
        });
  }

  private void add(AddPartitions change) {
    WriterTasks.await("partitions", store.apply(change).toCompletableFuture());
  }

  private void raise(RaiseLeaderEpoch change) {
    WriterTasks.await("leader epoch", store.apply(change).toCompletableFuture());
  }

  private AppendPipeline pipelineOf(TopicPartition name) {
    return pipelines.get(Math.floorMod(name.hashCode(), pipelines.size()));
  }

  private void update(
      MetadataImage before, MetadataImage after, TopicMetadata old, TopicMetadata topic) {
    HostedTopic hosted = topicsById.get(topic.id());
    if (hosted == null) {
      host(after, topic, Origin.NEW);
      return;
    }
    int minInSyncReplicas = configs.minInSyncReplicas(after, topic);
    LogConfig config = configs.logConfig(after, topic);
    boolean reconfigure = !config.equals(configs.logConfig(before, old));
    hosted.forEach(
        partition -> {
          int number = partition.topicPartition().partition();
          partition.follow(topic.partitions().get(number), minInSyncReplicas);
          if (reconfigure) {
            reconfigure(partition, config);
          }
        });
    int count = hosted.partitionCount();
    if (topic.partitionCount() > count) {
      publish(
          topic,
          hostFrom(count, hosted.partitions(topic.partitionCount()), after, topic, Origin.NEW));
    }
  }

  private static void reconfigure(Partition partition, LogConfig config) {
    partition
        .reconfigure(config)
        .whenComplete(
            (done, failure) -> {
              if (WriterTasks.isRejected(failure) && !partition.isClosed()) {
                partition.whenWritable(() -> reconfigure(partition, config));
              } else if (failure != null) {
                LOG.error("{} keeps its configuration", partition, failure);
              }
            });
  }

  private void publish(TopicMetadata topic, @Nullable Partition[] partitions) {
    publish(topic.id(), topic.name(), partitions);
  }

  private void publish(UUID topicId, String name, @Nullable Partition[] partitions) {
    HostedTopic hosted = new HostedTopic(name, partitions);
    topicsByName.put(name, hosted);
    topicsById.put(topicId, hosted);
  }

  /** Takes a topic out of sight, then its logs off the pipelines, then its files out of the way. */
  private void remove(TopicMetadata topic) {
    HostedTopic hosted = topicsById.remove(topic.id());
    if (hosted == null) {
      return;
    }
    topicsByName.remove(topic.name(), hosted);
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    hosted.forEach(partition -> closing.add(partition.close()));
    // The names must be free before the deletion is answered: the next change may take them.
    closing.forEach(future -> WriterTasks.await("deletion", future));
    hosted.forEach(partition -> folders.delete(partition.log()));
    for (int number = 0; number < topic.partitionCount(); number++) {
      offline.remove(new TopicPartition(topic.name(), number));
    }
    forget(Set.of(topic.id()));
  }

  private void forget(Set<UUID> topicIds) {
    if (!folders.offline().isEmpty()) {
      return; // Their logs may lie in an offline folder; the start that finds it removes them.
    }
    store
        .apply(new ForgetDeletedTopics(topicIds))
        .whenComplete(
            (image, failure) -> {
              if (failure != null) {
                LOG.warn("deleted topics {} stay remembered until the next start", topicIds);
              }
            });
  }
}
