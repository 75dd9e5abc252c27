package io.weirmq.server.internal.broker;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataListener;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.GroupSettings;
import io.weirmq.server.internal.group.GroupConfig;
import io.weirmq.server.internal.group.GroupCoordinator;
import io.weirmq.server.internal.group.GroupPartitions;
import io.weirmq.server.internal.group.classic.ClassicConfig;
import io.weirmq.server.internal.group.offsets.OffsetConfig;
import io.weirmq.server.internal.offsetslog.PartitionOffsetsLog;
import io.weirmq.server.internal.partition.PartitionLookup;
import io.weirmq.server.internal.schedule.Scheduler;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The group coordinator and what makes it follow the metadata: it leads the partitions of the
 * offsets topic that this broker leads, and forgets the offsets of topics that are gone.
 *
 * <p>Safe for use by several threads.
 */
final class Coordination implements MetadataListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Coordination.class);

  private final int brokerId;
  private final GroupCoordinator coordinator;

  private Coordination(int brokerId, GroupCoordinator coordinator) {
    this.brokerId = brokerId;
    this.coordinator = coordinator;
  }

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
    GroupCoordinator coordinator =
        new GroupCoordinator(
            config(settings),
            new PartitionOffsetsLog(lookup, wall, readers),
            () -> partitionCount(metadata.image()),
            thread,
            scheduler,
            wall,
            nanoClock,
            UUID::randomUUID);
    Coordination coordination = new Coordination(brokerId, coordinator);
    coordinator.start();
    MetadataImage image = metadata.subscribe(coordination);
    image.topic(GroupPartitions.TOPIC).ifPresent(topic -> coordination.leadFrom(0, topic));
    return coordination;
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

  private static int partitionCount(MetadataImage image) {
    return image.topic(GroupPartitions.TOPIC).map(TopicMetadata::partitionCount).orElse(0);
  }

  GroupCoordinator coordinator() {
    return coordinator;
  }

  @Override
  public void onChange(MetadataImage before, MetadataImage after) {
    TopicMetadata old = before.topic(GroupPartitions.TOPIC).orElse(null);
    TopicMetadata present = after.topic(GroupPartitions.TOPIC).orElse(null);
    if (present != null) {
      int known = old != null && old.id().equals(present.id()) ? old.partitionCount() : 0;
      leadFrom(known, present);
    }
    for (TopicMetadata topic : before.topics()) {
      if (after.topic(topic.id()).isPresent()) {
        continue;
      }
      if (topic.name().equals(GroupPartitions.TOPIC)) {
        resignAll(topic);
      } else {
        coordinator.topicDeleted(topic.name());
      }
    }
  }

  private void leadFrom(int first, TopicMetadata topic) {
    for (int partition = first; partition < topic.partitionCount(); partition++) {
      int number = partition;
      if (topic.partitions().get(number).leader() == brokerId) {
        coordinator
            .lead(number)
            .whenComplete(
                (none, failure) -> {
                  if (failure != null) {
                    LOG.error("Groups of {}-{} can't be loaded", topic.name(), number, failure);
                  }
                });
      }
    }
  }

  private void resignAll(TopicMetadata topic) {
    for (int partition = 0; partition < topic.partitionCount(); partition++) {
      coordinator.resign(partition);
    }
  }

  /** Answers what members wait for; the coordinator serves nobody any more. */
  @Override
  public void close() {
    coordinator.close();
  }
}
