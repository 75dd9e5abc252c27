package io.weirmq.server.internal.broker;

import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.server.config.GroupSettings;
import io.weirmq.server.internal.group.GroupConfig;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.GroupLeadership;
import io.weirmq.server.internal.group.OffsetsTopic;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.server.internal.offsetslog.PartitionOffsetsLog;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.schedule.Scheduler;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The group coordinator of a broker and the topic that it keeps groups in. Immutable.
 *
 * @param coordinator started, and following the metadata
 * @param topic makes the topic when it is needed
 */
record Coordination(GroupCoordinator coordinator, OffsetsTopic topic) {

  /**
   * Starts the coordinator.
   *
   * @param thread the coordinator's thread
   * @param readers runs what may take long
   */
  static Coordination start(
      int brokerId,
      GroupSettings settings,
      MetadataStore metadata,
      PartitionLookup lookup,
      Executor thread,
      Executor readers,
      Scheduler scheduler,
      InstantSource wall,
      LongSupplier nanoClock) {
    OffsetsTopic topic = new OffsetsTopic(topicSettings(settings), metadata, TopicIds::random);
    GroupCoordinator coordinator =
        new GroupCoordinator(
            config(settings),
            new PartitionOffsetsLog(lookup, wall, readers),
            topic::partitionCount,
            thread,
            scheduler,
            wall,
            nanoClock,
            UUID::randomUUID);
    coordinator.start();
    GroupLeadership.follow(brokerId, metadata, coordinator);
    return new Coordination(coordinator, topic);
  }

  /** The settings of the topic that holds the groups. */
  static OffsetsTopic.Settings topicSettings(GroupSettings settings) {
    return new OffsetsTopic.Settings(
        settings.topicPartitionCount(),
        settings.topicReplicationFactor(),
        settings.topicSegmentBytes());
  }

  private static GroupConfig config(GroupSettings settings) {
    return new GroupConfig(
        new ClassicConfig(
            settings.minSessionTimeoutMs(),
            settings.maxSessionTimeoutMs(),
            settings.initialRebalanceDelayMs(),
            settings.maxSize()),
        new OffsetConfig(
            settings.offsetMetadataBytesMax(),
            settings.retention().toMillis(),
            settings.retentionCheckInterval().toMillis()));
  }
}
