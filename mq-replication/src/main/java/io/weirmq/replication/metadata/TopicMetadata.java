package io.weirmq.replication.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * A topic. Immutable.
 *
 * @param name topic name
 * @param id the topic's identity; a topic that is made again under the same name has another one
 * @param partitions the partitions by number; not empty
 * @param configs the configurations that were set for this topic, by key; all others come from the
 *     broker
 */
public record TopicMetadata(
    String name, UUID id, List<PartitionMetadata> partitions, Map<String, String> configs) {

  /** Copies the collections and checks the parts. */
  public TopicMetadata {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(id, "id");
    partitions = List.copyOf(partitions);
    configs = Map.copyOf(configs);
    if (partitions.isEmpty()) {
      throw new IllegalArgumentException("topic " + name + " has no partitions");
    }
  }

  /** Returns the number of partitions, 1 or more. */
  public int partitionCount() {
    return partitions.size();
  }

  /** Returns a partition; empty where the number is outside of the topic. */
  public Optional<PartitionMetadata> partition(int number) {
    return number >= 0 && number < partitions.size()
        ? Optional.of(partitions.get(number))
        : Optional.empty();
  }

  /** Returns this topic with other configurations. */
  public TopicMetadata withConfigs(Map<String, String> newConfigs) {
    return new TopicMetadata(name, id, partitions, newConfigs);
  }

  /** Returns this topic with other partitions. */
  public TopicMetadata withPartitions(List<PartitionMetadata> newPartitions) {
    return new TopicMetadata(name, id, newPartitions, configs);
  }

  /** Returns this topic with more partitions behind the present ones. */
  public TopicMetadata withMorePartitions(List<PartitionMetadata> more) {
    List<PartitionMetadata> all = new ArrayList<>(partitions);
    all.addAll(more);
    return withPartitions(all);
  }
}
