package io.weirmq.replication;

import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.LogConfig;

/**
 * Works out the settings of a topic's partitions: what was set for the topic, over what was set for
 * the broker, over the defaults. Safe for use by several threads.
 */
public interface PartitionConfigs {

  /** Returns the settings of the topic's logs under an image. */
  LogConfig logConfig(MetadataImage image, TopicMetadata topic);

  /** Returns {@code min.insync.replicas} of a topic under an image, 1 or more. */
  int minInSyncReplicas(MetadataImage image, TopicMetadata topic);
}
