package io.weirmq.server.internal.fetch;

import java.util.UUID;

/**
 * A partition as a fetch request names it: by topic id (version 13 and newer) or by topic name.
 * Immutable.
 *
 * @param topicId topic id, all zero where the name is given
 * @param topic topic name, empty where the id is given
 * @param partition partition number as sent
 */
record FetchTarget(UUID topicId, String topic, int partition) {

  /** Whether two targets are of the same topic. */
  boolean isSameTopic(FetchTarget other) {
    return topicId.equals(other.topicId) && topic.equals(other.topic);
  }
}
