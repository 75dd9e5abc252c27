package io.weirmq.server.internal.broker;

import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.OfflineFolder;
import io.weirmq.replication.metadata.LocalMetadataStore;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.RebuildSources;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.config.PipelineSettings;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.RefusedFolderException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.WaitStrategyKind;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that holds data: metadata, data folders, pipelines, partitions. Safe for use by
 * several threads.
 */
public final class Storage implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

  /** The metadata of a lone broker, in its first data folder. */
  private static final String METADATA_FILE = "weirmq-metadata";

  private final OpenParts parts;
  private final MetadataStore metadata;
  private final HostedPartitions partitions;

  private Storage(OpenParts parts, MetadataStore metadata, HostedPartitions partitions) {
    this.parts = parts;
    this.metadata = metadata;
    this.partitions = partitions;
  }

  /**
   * Opens all of it; after an unclean stop, recovers the logs first.
   *
   * @param wall time of day
   * @throws StorageException where the metadata can't be had, a folder is in use or belongs to
   *     another broker, or no folder can be used; one that can't be used among others is offline,
   *     and so is one that has lost its content
   */
  public static Storage open(
      BrokerConfig config,
      LogFileSystem files,
      BrokerThreads threads,
      FatalErrors fatalErrors,
      InstantSource wall)
      throws StorageException {
    OpenParts parts = new OpenParts();
    try {
      Path home = config.storage().directories().get(0);
      parts.add(MetadataLock.take(files, home));
      BrokerThreads.SingleThread metadataThread = parts.add(threads.singleThread("mq-metadata"));
      MetadataStore metadata =
          LocalMetadataStore.open(
              home.resolve(METADATA_FILE),
              files,
              metadataThread,
              config.brokerId(),
              new RebuildSources(
                  config.storage().directories(), new LostConfigs(config.groups()), wall));
      List<OfflineFolder> offline = new ArrayList<>();
      List<LogDirectory> directories =
          openDirectories(config, metadata, files, threads, wall, parts, offline);
      List<AppendPipeline> pipelines = openPipelines(config, threads, fatalErrors, wall, parts);
      // Closed after the partitions, which follow it, and before what they write to.
      parts.add(metadata);
      HostedPartitions partitions =
          parts.add(
              HostedPartitions.open(
                  config.brokerId(),
                  metadata,
                  directories,
                  offline,
                  pipelines,
                  config.topicConfigs()));
      return new Storage(parts, metadata, partitions);
    } catch (StorageException | RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private static List<LogDirectory> openDirectories(
      BrokerConfig config,
      MetadataStore metadata,
      LogFileSystem files,
      BrokerThreads threads,
      InstantSource wall,
      OpenParts parts,
      List<OfflineFolder> offline)
      throws StorageException {
    MetadataImage image = metadata.image();
    // One object for all partitions of a topic.
    Map<String, LogConfig> configs = new ConcurrentHashMap<>();
    LogDirectoryOptions options =
        LogDirectoryOptions.of(config.brokerId(), image.clusterId())
            .withConfigOf(
                partition ->
                    configs.computeIfAbsent(
                        partition.topic(), topic -> configOf(config, image, topic)))
            .withTopicIdOf(partition -> topicIdOf(image, partition))
            .withOpenSegmentsMax(openSegments(config))
            .withLoadThreads(config.storage().recoveryThreads(), threads.named("mq-log-loader"));
    List<LogDirectory> directories = new ArrayList<>();
    for (Path folder : config.storage().directories()) {
      try {
        directories.add(parts.add(LogDirectories.open(folder, options, files, wall)));
      } catch (RefusedFolderException e) {
        throw e;
      } catch (StorageException e) {
        LOG.error("data folder {} is offline, with all partitions in it", folder, e);
        offline.add(new OfflineFolder(folder, e));
      }
    }
    Path home = config.storage().directories().get(0);
    new LostFolders(new RememberedFolders(files, home), home)
        .takeOut(directories, offline, !image.topics().isEmpty());
    if (directories.isEmpty()) {
      throw new StorageException(
          "none of the data folders %s can be used: %s"
              .formatted(config.storage().directories(), offline.get(0).cause().getMessage()),
          offline.get(0).cause());
    }
    return directories;
  }

  /** What each data folder may keep open; a segment has up to three open files. */
  private static int openSegments(BrokerConfig config) {
    int folders = config.storage().directories().size();
    return Math.max(1, config.storage().openFilesMax() / folders / 3);
  }

  private static LogConfig configOf(BrokerConfig config, MetadataImage image, String topicName) {
    return image
        .topic(topicName)
        .map(topic -> config.topicConfigs().logConfig(image, topic))
        .orElseGet(LogConfig::defaults);
  }

  private static Optional<UUID> topicIdOf(MetadataImage image, TopicPartition partition) {
    return image.topic(partition.topic()).map(TopicMetadata::id);
  }

  private static List<AppendPipeline> openPipelines(
      BrokerConfig config,
      BrokerThreads threads,
      FatalErrors fatalErrors,
      InstantSource wall,
      OpenParts parts) {
    PipelineSettings settings = config.pipelines();
    ThreadFactory writers = threads.named("mq-append");
    ThreadFactory flushers = threads.named("mq-flush");
    List<AppendPipeline> pipelines = new ArrayList<>();
    for (int i = 0; i < settings.count(); i++) {
      PipelineOptions options =
          PipelineOptions.defaults("append-" + i)
              .withRingSize(settings.ringSize())
              .withWaitStrategy(WaitStrategyKind.valueOf(settings.waitStrategy().name()));
      pipelines.add(
          parts.add(AppendPipelines.open(options, writers, flushers, wall, fatalErrors::report)));
    }
    return pipelines;
  }

  /** What the cluster agrees on. */
  public MetadataStore metadata() {
    return metadata;
  }

  /** The partitions of this broker. */
  public HostedPartitions partitions() {
    return partitions;
  }

  /**
   * Closes partitions, pipelines and folders in this order, so that everything accepted is on the
   * disk and the stop is a clean one.
   */
  @Override
  public void close() throws IOException {
    parts.close();
  }
}
