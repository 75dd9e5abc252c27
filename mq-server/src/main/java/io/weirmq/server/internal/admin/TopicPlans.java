package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableReplicaAssignment;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopic;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import io.weirmq.replication.ReplicaPlacement;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicIds;
import io.weirmq.server.config.TopicConfigs;
import io.weirmq.server.config.TopicSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes changes of what is asked for new topics, by the rules. Immutable. */
public final class TopicPlans {

  private static final int BROKER_DEFAULT = -1;

  private final TopicSettings settings;

  /** Makes the plans of a broker. */
  public TopicPlans(TopicSettings settings) {
    this.settings = settings;
  }

  /** The partitions that one request may create. */
  public int requestPartitionsMax() {
    return settings.requestPartitionsMax();
  }

  /**
   * Returns the change that makes a topic.
   *
   * @param image what there is
   * @param topic what is asked for
   * @throws RefusedException where it breaks a rule
   */
  public CreateTopic plan(MetadataImage image, CreatableTopic topic) throws RefusedException {
    String name = topic.name();
    TopicNames.check(name);
    if (image.topic(name).isPresent()) {
      throw new RefusedException(
          ErrorCode.TOPIC_ALREADY_EXISTS, "Topic '%s' already exists.".formatted(name));
    }
    Optional<String> colliding = TopicNames.colliding(image, name);
    if (colliding.isPresent()) {
      throw collision(name, colliding.get());
    }
    Map<String, String> configs = configs(topic);
    return new CreateTopic(name, TopicIds.random(), replicas(image, topic), configs);
  }

  /** Returns the refusal of a name that differs from another in '.' and '_' only. */
  public static RefusedException collision(String name, String other) {
    return new RefusedException(
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        "Topic '%s' collides with topic '%s': their names differ in '.' and '_' only."
            .formatted(name, other));
  }

  /** Returns the refusal of a request that creates too many partitions. */
  public RefusedException tooMany(long count) {
    return new RefusedException(
        ErrorCode.POLICY_VIOLATION,
        "The request creates %d partitions, at most %d are allowed (weirmq.request.partitions.max)."
            .formatted(count, settings.requestPartitionsMax()));
  }

  private static Map<String, String> configs(CreatableTopic topic) throws RefusedException {
    Map<String, String> configs = new HashMap<>();
    for (CreatableTopicConfig config : topic.configs()) {
      String value = config.value();
      if (value == null) {
        throw new RefusedException(
            ErrorCode.INVALID_CONFIG, "Null value not supported for topic config " + config.name());
      }
      configs.put(config.name(), value);
    }
    Optional<String> problem = TopicConfigs.problemWithTopic(configs);
    if (problem.isPresent()) {
      throw new RefusedException(ErrorCode.INVALID_CONFIG, problem.get());
    }
    return configs;
  }

  private List<List<Integer>> replicas(MetadataImage image, CreatableTopic topic)
      throws RefusedException {
    if (!topic.assignments().isEmpty()) {
      return assigned(image, topic);
    }
    int replicationFactor = topic.replicationFactor();
    if (replicationFactor < BROKER_DEFAULT || replicationFactor == 0) {
      throw new RefusedException(
          ErrorCode.INVALID_REPLICATION_FACTOR,
          "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    int count = topic.numPartitions();
    if (count < BROKER_DEFAULT || count == 0) {
      throw new RefusedException(
          ErrorCode.INVALID_PARTITIONS,
          "Number of partitions was set to an invalid non-positive value.");
    }
    int partitions = count == BROKER_DEFAULT ? settings.partitionCount() : count;
    if (partitions > settings.requestPartitionsMax()) {
      throw tooMany(partitions);
    }
    int replicas =
        replicationFactor == BROKER_DEFAULT ? settings.replicationFactor() : replicationFactor;
    return place(image, 0, partitions, replicas, topic.name().hashCode());
  }

  /**
   * Places partitions on the live brokers.
   *
   * @param first number of the first partition
   * @param count number of partitions
   * @param replicas replicas of each
   * @param start shifts the first broker
   * @throws RefusedException where there are too few brokers
   */
  static List<List<Integer>> place(
      MetadataImage image, int first, int count, int replicas, int start) throws RefusedException {
    List<Integer> brokers = List.copyOf(image.brokers().keySet());
    if (replicas > brokers.size()) {
      throw new RefusedException(
          ErrorCode.INVALID_REPLICATION_FACTOR,
          "Unable to replicate the partition %d time(s): only %d broker(s) are registered."
              .formatted(replicas, brokers.size()));
    }
    return new ReplicaPlacement(brokers).place(first, count, replicas, start);
  }

  private List<List<Integer>> assigned(MetadataImage image, CreatableTopic topic)
      throws RefusedException {
    if (topic.replicationFactor() != BROKER_DEFAULT) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "A manual partition assignment was specified, but replication factor was not set to -1.");
    }
    if (topic.numPartitions() != BROKER_DEFAULT) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "A manual partition assignment was specified, but numPartitions was not set to -1.");
    }
    TreeMap<Integer, List<Integer>> byNumber = new TreeMap<>();
    for (CreatableReplicaAssignment assignment : topic.assignments()) {
      if (byNumber.put(assignment.partitionIndex(), assignment.brokerIds()) != null) {
        throw Assignments.refused(
            "partition %d occurs twice".formatted(assignment.partitionIndex()));
      }
    }
    if (byNumber.firstKey() != 0 || byNumber.lastKey() != byNumber.size() - 1) {
      throw Assignments.refused("partitions are not numbered 0, 1, 2 and so on");
    }
    List<List<Integer>> partitions = new ArrayList<>(byNumber.values());
    new Assignments(image.brokers().keySet()).check(partitions, 0);
    return partitions;
  }
}
