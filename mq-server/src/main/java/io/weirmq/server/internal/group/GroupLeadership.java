package io.weirmq.server.internal.group;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataListener;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import java.util.List;

/**
 * Tells the coordinator what follows from the metadata: which partitions of {@code
 * __consumer_offsets} this broker leads, and which topics are gone. Confined to one thread (the
 * metadata store's), but for {@link #follow}.
 *
 * <p>A change is handed to the coordinator before the one who asked for it is answered: whoever has
 * made the topic finds its partitions loading, not unknown.
 */
public final class GroupLeadership implements MetadataListener {

  private final int brokerId;
  private final GroupCoordinator coordinator;

  private GroupLeadership(int brokerId, GroupCoordinator coordinator) {
    this.brokerId = brokerId;
    this.coordinator = coordinator;
  }

  /**
   * Begins to follow. To be called after the broker's partitions follow the same store, so that a
   * partition can be read when the coordinator is told of it, and before clients are let in.
   */
  public static void follow(int brokerId, MetadataStore metadata, GroupCoordinator coordinator) {
    GroupLeadership leadership = new GroupLeadership(brokerId, coordinator);
    MetadataImage image = metadata.subscribe(leadership);
    image.topic(GroupPartitions.TOPIC).ifPresent(topic -> leadership.leadAll(topic.partitions()));
  }

  private void leadAll(List<PartitionMetadata> partitions) {
    for (int i = 0; i < partitions.size(); i++) {
      if (partitions.get(i).leader() == brokerId) {
        coordinator.lead(i);
      }
    }
  }

  @Override
  public void onChange(MetadataImage before, MetadataImage after) {
    List<PartitionMetadata> old = offsetsPartitions(before);
    List<PartitionMetadata> now = offsetsPartitions(after);
    for (int i = 0; i < Math.max(old.size(), now.size()); i++) {
      boolean led = i < old.size() && old.get(i).leader() == brokerId;
      boolean leads = i < now.size() && now.get(i).leader() == brokerId;
      if (leads && !led) {
        coordinator.lead(i);
      } else if (led && !leads) {
        coordinator.resign(i);
      }
    }
    for (TopicMetadata topic : before.topics()) {
      boolean isGone = after.topic(topic.id()).isEmpty();
      if (isGone && !topic.name().equals(GroupPartitions.TOPIC)) {
        coordinator.topicDeleted(topic.name());
      }
    }
  }

  private static List<PartitionMetadata> offsetsPartitions(MetadataImage image) {
    return image.topic(GroupPartitions.TOPIC).map(TopicMetadata::partitions).orElse(List.of());
  }
}
