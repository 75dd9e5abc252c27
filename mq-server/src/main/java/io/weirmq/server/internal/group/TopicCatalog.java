package io.weirmq.server.internal.group;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Which topics exist, as far as groups need to know. Safe for use by several threads. */
public interface TopicCatalog {

  /** The number of partitions of a topic; 0 where it does not exist. */
  int partitionCount(String topic);

  /** The id of a topic; null where it does not exist. */
  @Nullable UUID topicId(String topic);

  /** The name of the topic of an id; null where there is none. */
  @Nullable String topicName(UUID topicId);
}
