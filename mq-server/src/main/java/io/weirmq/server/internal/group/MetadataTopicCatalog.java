package io.weirmq.server.internal.group;

import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.replication.metadata.TopicMetadata;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The topics of the newest metadata. Safe for use by several threads. */
public final class MetadataTopicCatalog implements TopicCatalog {

  private final MetadataStore metadata;

  /** Makes the catalog. */
  public MetadataTopicCatalog(MetadataStore metadata) {
    this.metadata = metadata;
  }

  @Override
  public int partitionCount(String topic) {
    return metadata.image().topic(topic).map(found -> found.partitions().size()).orElse(0);
  }

  @Override
  public @Nullable UUID topicId(String topic) {
    return metadata.image().topic(topic).map(TopicMetadata::id).orElse(null);
  }

  @Override
  public @Nullable String topicName(UUID topicId) {
    return metadata.image().topic(topicId).map(TopicMetadata::name).orElse(null);
  }
}
