package io.weirmq.server.internal.partition;

import io.weirmq.replication.PartitionConfigs;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.storage.LogConfig;

/** The same defaults for all topics, whatever the metadata says. */
public final class DefaultConfigs implements PartitionConfigs {

  @Override
  public LogConfig logConfig(MetadataImage image, TopicMetadata topic) {
    return LogConfig.defaults();
  }

  @Override
  public int minInSyncReplicas(MetadataImage image, TopicMetadata topic) {
    return 1;
  }
}
