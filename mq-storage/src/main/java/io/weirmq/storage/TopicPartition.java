package io.weirmq.storage;

import java.util.Objects;

/**
 * A partition of a topic. Immutable.
 *
 * @param topic topic name
 * @param partition partition number, 0 or more
 */
public record TopicPartition(String topic, int partition) {

  /** Checks the parts. */
  public TopicPartition {
    Objects.requireNonNull(topic, "topic");
    if (partition < 0) {
      throw new IllegalArgumentException(
          "partition " + partition + " of " + topic + " is negative");
    }
  }

  /** The name of the partition's folder, which is also how people write it: {@code orders-3}. */
  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
