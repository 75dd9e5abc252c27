package io.weirmq.server.internal.partition;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.HostedPartitions;
import io.weirmq.replication.Partition;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.TopicPartition;
import java.util.Optional;
import java.util.UUID;

/** Finds partitions by topic name or topic id. Safe for use by several threads. */
public final class PartitionLookup {

  private final HostedPartitions hosted;
  private final MetadataStore metadata;

  /** Makes a lookup over the partitions of this broker and what the cluster knows of others. */
  public PartitionLookup(HostedPartitions hosted, MetadataStore metadata) {
    this.hosted = hosted;
    this.metadata = metadata;
  }

  /** Returns the partition of a topic name; empty where this broker does not hold it. */
  public Optional<Partition> find(String topic, int partition) {
    return hosted.find(topic, partition);
  }

  /** Returns the partition of a topic id; empty where this broker does not hold it. */
  public Optional<Partition> find(UUID topicId, int partition) {
    return hosted.find(topicId, partition);
  }

  /** Returns the name of a topic id; empty where it is not known. */
  public Optional<String> topicName(UUID topicId) {
    return metadata.image().topic(topicId).map(TopicMetadata::name);
  }

  /** Returns why {@link #find(String, int)} found nothing. */
  public ErrorCode whyAbsent(String topic, int partition) {
    return whyAbsent(
        metadata.image().topic(topic), partition, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  }

  /** Returns why {@link #find(UUID, int)} found nothing. */
  public ErrorCode whyAbsent(UUID topicId, int partition) {
    return whyAbsent(metadata.image().topic(topicId), partition, ErrorCode.UNKNOWN_TOPIC_ID);
  }

  private ErrorCode whyAbsent(
      Optional<TopicMetadata> topic, int partition, ErrorCode whereUnknown) {
    if (topic.isEmpty()) {
      return whereUnknown;
    }
    if (topic.get().partition(partition).isEmpty()) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    boolean offline =
        hosted.offlineReason(new TopicPartition(topic.get().name(), partition)).isPresent();
    return offline ? ErrorCode.KAFKA_STORAGE_ERROR : ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }
}
