package io.weirmq.replication.metadata;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/**
 * One step from an image to the next. Immutable.
 *
 * <p>A change that was computed from an image names what it read there ({@code expected…}); where
 * that is not so any more, the change fails with {@link MetadataChangeException.Reason#CONFLICT}
 * and the caller computes it anew.
 */
public sealed interface MetadataChange {

  /**
   * Makes a topic; its partitions begin in leader epoch 0, led by their first replica.
   *
   * @param name topic name, legal and not used
   * @param id identity, never used before
   * @param replicas broker ids per partition, the preferred leader first
   * @param configs configurations set for this topic, checked before
   */
  record CreateTopic(
      String name, UUID id, List<List<Integer>> replicas, Map<String, String> configs)
      implements MetadataChange {
    /** Copies the collections. */
    public CreateTopic {
      replicas = replicas.stream().map(List::copyOf).toList();
      configs = Map.copyOf(configs);
    }
  }

  /**
   * Takes a topic away. Its id is remembered in {@link MetadataImage#deletedTopics()} until {@link
   * ForgetDeletedTopics}, so that a broker that stops meanwhile still removes the files.
   *
   * @param id identity of the topic
   */
  record DeleteTopic(UUID id) implements MetadataChange {}

  /**
   * Adds partitions behind the present ones.
   *
   * @param id identity of the topic
   * @param expectedCount the number of partitions that the topic has now
   * @param replicas broker ids per new partition
   */
  record AddPartitions(UUID id, int expectedCount, List<List<Integer>> replicas)
      implements MetadataChange {
    /** Copies the list. */
    public AddPartitions {
      replicas = replicas.stream().map(List::copyOf).toList();
    }
  }

  /**
   * Replaces the configurations set for a topic.
   *
   * @param id identity of the topic
   * @param expected the configurations that are set now
   * @param configs the ones to be set, checked before
   */
  record SetTopicConfigs(UUID id, Map<String, String> expected, Map<String, String> configs)
      implements MetadataChange {
    /** Copies the maps. */
    public SetTopicConfigs {
      expected = Map.copyOf(expected);
      configs = Map.copyOf(configs);
    }
  }

  /**
   * Replaces the dynamic configurations of a broker or of all brokers.
   *
   * @param brokerId the broker; empty for the ones that hold for all
   * @param expected the configurations that are set now
   * @param configs the ones to be set, checked before
   */
  record SetBrokerConfigs(
      OptionalInt brokerId, Map<String, String> expected, Map<String, String> configs)
      implements MetadataChange {
    /** Copies the maps. */
    public SetBrokerConfigs {
      expected = Map.copyOf(expected);
      configs = Map.copyOf(configs);
    }
  }

  /**
   * Makes a live broker known, or its new addresses. Not durable: it holds while the broker lives.
   *
   * @param broker the broker
   */
  record RegisterBroker(BrokerMetadata broker) implements MetadataChange {
    /** Checks the part. */
    public RegisterBroker {
      Objects.requireNonNull(broker, "broker");
    }
  }

  /**
   * Raises the leader epoch of a partition whose log has seen higher ones than the image knows.
   *
   * @param id identity of the topic
   * @param partition partition number
   * @param atLeast the epoch that the partition has at least afterwards
   */
  record RaiseLeaderEpoch(UUID id, int partition, int atLeast) implements MetadataChange {}

  /**
   * Forgets deleted topics whose files are gone.
   *
   * @param ids identities of the topics
   */
  record ForgetDeletedTopics(Set<UUID> ids) implements MetadataChange {
    /** Copies the set. */
    public ForgetDeletedTopics {
      ids = Set.copyOf(ids);
    }
  }
}
