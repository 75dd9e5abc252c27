package io.weirmq.replication.metadata;

import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataChange.CreateTopic;
import io.weirmq.replication.metadata.MetadataChange.DeleteTopic;
import io.weirmq.replication.metadata.MetadataChange.ForgetDeletedTopics;
import io.weirmq.replication.metadata.MetadataChange.RaiseLeaderEpoch;
import io.weirmq.replication.metadata.MetadataChange.RegisterBroker;
import io.weirmq.replication.metadata.MetadataChange.SetBrokerConfigs;
import io.weirmq.replication.metadata.MetadataChange.SetTopicConfigs;
import io.weirmq.replication.metadata.MetadataChangeException.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A picture of the cluster at one version. Immutable.
 *
 * <p>A change gives a new image that shares what did not change; it costs a copy of the maps, not
 * of the topics.
 */
public final class MetadataImage {

  private final String clusterId;
  private final long version;
  private final long nextProducerId;
  private final int controllerId;
  private final Map<String, TopicMetadata> topicsByName;
  private final Map<UUID, TopicMetadata> topicsById;
  private final Map<Integer, Map<String, String>> brokerConfigs;
  private final Map<String, String> brokerDefaults;
  private final Map<Integer, BrokerMetadata> brokers;
  private final Set<UUID> deletedTopics;

  private MetadataImage(Draft draft) {
    this.clusterId = draft.clusterId;
    this.version = draft.version;
    this.nextProducerId = draft.nextProducerId;
    this.controllerId = draft.controllerId;
    this.topicsByName = Collections.unmodifiableMap(draft.topicsByName);
    this.topicsById = Collections.unmodifiableMap(draft.topicsById);
    this.brokerConfigs = Collections.unmodifiableMap(draft.brokerConfigs);
    this.brokerDefaults = draft.brokerDefaults;
    this.brokers = Collections.unmodifiableMap(draft.brokers);
    this.deletedTopics = Collections.unmodifiableSet(draft.deletedTopics);
  }

  /**
   * Returns an image without topics, at version 0.
   *
   * @param clusterId 22 characters, see {@link TopicIds}
   * @param controllerId broker id of the controller
   */
  public static MetadataImage empty(String clusterId, int controllerId) {
    return new MetadataImage(new Draft(clusterId, controllerId));
  }

  /** The cluster's identity, 22 characters of URL-safe base64. */
  public String clusterId() {
    return clusterId;
  }

  /** Counts the changes; rises with each. */
  public long version() {
    return version;
  }

  /** The first producer id that was never given out. */
  public long nextProducerId() {
    return nextProducerId;
  }

  /** The broker that takes administrative requests, -1 where there is none. */
  public int controllerId() {
    return controllerId;
  }

  /** All topics, in no particular order. */
  public Collection<TopicMetadata> topics() {
    return topicsByName.values();
  }

  /** Returns the topic of a name. */
  public Optional<TopicMetadata> topic(String name) {
    return Optional.ofNullable(topicsByName.get(name));
  }

  /** Returns the topic of an id. */
  public Optional<TopicMetadata> topic(UUID id) {
    return Optional.ofNullable(topicsById.get(id));
  }

  /** Returns the number of partitions of all topics. */
  public long partitionCount() {
    return topicsByName.values().stream().mapToLong(TopicMetadata::partitionCount).sum();
  }

  /** The live brokers by id, in ascending order. */
  public Map<Integer, BrokerMetadata> brokers() {
    return brokers;
  }

  /**
   * Returns the dynamic configurations of a broker.
   *
   * @param brokerId the broker; empty for the ones that hold for all brokers
   */
  public Map<String, String> brokerConfigs(OptionalInt brokerId) {
    return brokerId.isPresent()
        ? brokerConfigs.getOrDefault(brokerId.getAsInt(), Map.of())
        : brokerDefaults;
  }

  /** The brokers that have dynamic configurations of their own, with these, by broker id. */
  public Map<Integer, Map<String, String>> brokerConfigs() {
    return brokerConfigs;
  }

  /** The ids of deleted topics whose files may still be there. */
  public Set<UUID> deletedTopics() {
    return deletedTopics;
  }

  /**
   * Returns the image after a change.
   *
   * @throws MetadataChangeException where the change does not fit this image
   */
  public MetadataImage with(MetadataChange change) throws MetadataChangeException {
    Draft draft = new Draft(this);
    if (change instanceof CreateTopic create) {
      create(draft, create);
    } else if (change instanceof DeleteTopic delete) {
      TopicMetadata topic = require(delete.id());
      draft.remove(topic);
      draft.deletedTopics.add(topic.id());
    } else if (change instanceof AddPartitions add) {
      draft.put(withMorePartitions(add));
    } else if (change instanceof SetTopicConfigs set) {
      TopicMetadata topic = require(set.id());
      requireSame("topic " + topic.name(), topic.configs(), set.expected());
      draft.put(topic.withConfigs(set.configs()));
    } else if (change instanceof SetBrokerConfigs set) {
      setBrokerConfigs(draft, set);
    } else if (change instanceof RegisterBroker register) {
      draft.brokers.put(register.broker().id(), register.broker());
    } else if (change instanceof RaiseLeaderEpoch raise) {
      draft.put(withRaisedEpoch(raise));
    } else if (change instanceof ForgetDeletedTopics forget) {
      draft.deletedTopics.removeAll(forget.ids());
    } else {
      throw new IllegalStateException("unknown change " + change);
    }
    return new MetadataImage(draft);
  }

  /**
   * Returns the image after a block of producer ids was taken: the block begins at {@link
   * #nextProducerId()} of this image.
   */
  public MetadataImage withProducerIdsTaken(int count) {
    Draft draft = new Draft(this);
    draft.nextProducerId = Math.addExact(nextProducerId, count);
    return new MetadataImage(draft);
  }

  /** Returns the image in which every partition is in its next leader epoch. */
  public MetadataImage withNextEpochs() {
    Draft draft = new Draft(this);
    for (TopicMetadata topic : topicsByName.values()) {
      draft.put(
          topic.withPartitions(
              topic.partitions().stream().map(PartitionMetadata::withNextEpoch).toList()));
    }
    return new MetadataImage(draft);
  }

  private static void create(Draft draft, CreateTopic create) throws MetadataChangeException {
    if (draft.topicsByName.containsKey(create.name())) {
      throw new MetadataChangeException(
          Reason.TOPIC_EXISTS, "Topic '" + create.name() + "' already exists.");
    }
    if (draft.topicsById.containsKey(create.id()) || draft.deletedTopics.contains(create.id())) {
      throw new MetadataChangeException(
          Reason.CONFLICT, "topic id " + create.id() + " is in use already");
    }
    List<PartitionMetadata> partitions =
        create.replicas().stream().map(PartitionMetadata::created).toList();
    draft.put(new TopicMetadata(create.name(), create.id(), partitions, create.configs()));
  }

  private TopicMetadata withMorePartitions(AddPartitions add) throws MetadataChangeException {
    TopicMetadata topic = require(add.id());
    if (topic.partitionCount() != add.expectedCount()) {
      throw new MetadataChangeException(
          Reason.CONFLICT,
          "topic %s has %d partitions, the change expected %d"
              .formatted(topic.name(), topic.partitionCount(), add.expectedCount()));
    }
    return topic.withMorePartitions(
        add.replicas().stream().map(PartitionMetadata::created).toList());
  }

  private TopicMetadata withRaisedEpoch(RaiseLeaderEpoch raise) throws MetadataChangeException {
    TopicMetadata topic = require(raise.id());
    PartitionMetadata partition =
        topic
            .partition(raise.partition())
            .orElseThrow(
                () ->
                    new MetadataChangeException(
                        Reason.UNKNOWN_PARTITION,
                        "topic %s has no partition %d".formatted(topic.name(), raise.partition())));
    List<PartitionMetadata> partitions = new ArrayList<>(topic.partitions());
    partitions.set(
        raise.partition(),
        partition.withLeaderEpoch(Math.max(partition.leaderEpoch(), raise.atLeast())));
    return topic.withPartitions(partitions);
  }

  private void setBrokerConfigs(Draft draft, SetBrokerConfigs set) throws MetadataChangeException {
    OptionalInt brokerId = set.brokerId();
    requireSame(
        brokerId.isPresent() ? "broker " + brokerId.getAsInt() : "the broker defaults",
        brokerConfigs(brokerId),
        set.expected());
    if (brokerId.isEmpty()) {
      draft.brokerDefaults = set.configs();
    } else if (set.configs().isEmpty()) {
      draft.brokerConfigs.remove(brokerId.getAsInt());
    } else {
      draft.brokerConfigs.put(brokerId.getAsInt(), set.configs());
    }
  }

  private TopicMetadata require(UUID id) throws MetadataChangeException {
    TopicMetadata topic = topicsById.get(id);
    if (topic == null) {
      throw new MetadataChangeException(
          Reason.UNKNOWN_TOPIC, "there is no topic with id " + TopicIds.toText(id));
    }
    return topic;
  }

  private static void requireSame(
      String what, Map<String, String> present, Map<String, String> expected)
      throws MetadataChangeException {
    if (!present.equals(expected)) {
      throw new MetadataChangeException(
          Reason.CONFLICT, "the configurations of " + what + " were changed meanwhile");
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MetadataImage that
        && clusterId.equals(that.clusterId)
        && version == that.version
        && nextProducerId == that.nextProducerId
        && controllerId == that.controllerId
        && topicsByName.equals(that.topicsByName)
        && brokerConfigs.equals(that.brokerConfigs)
        && brokerDefaults.equals(that.brokerDefaults)
        && brokers.equals(that.brokers)
        && deletedTopics.equals(that.deletedTopics);
  }

  @Override
  public int hashCode() {
    return Objects.hash(clusterId, version, topicsByName.keySet());
  }

  @Override
  public String toString() {
    return "MetadataImage[cluster=%s, version=%d, topics=%d, brokers=%s]"
        .formatted(clusterId, version, topicsByName.size(), brokers.keySet());
  }

  /** Collects an image from its parts, as a store reads them back. Confined to one thread. */
  public static final class Builder {

    private final Draft draft;

    /** Starts at a version without topics. */
    public Builder(String clusterId, int controllerId, long version) {
      draft = new Draft(clusterId, controllerId);
      draft.version = version;
    }

    /** Sets the first producer id that was never given out. */
    public Builder nextProducerId(long id) {
      draft.nextProducerId = id;
      return this;
    }

    /**
     * Adds a topic.
     *
     * @throws IllegalArgumentException where its name or id is there already
     */
    public Builder topic(TopicMetadata topic) {
      if (draft.topicsByName.containsKey(topic.name())) {
        throw new IllegalArgumentException("topic " + topic.name() + " occurs twice");
      }
      if (draft.topicsById.containsKey(topic.id())) {
        throw new IllegalArgumentException("topic id " + topic.id() + " occurs twice");
      }
      draft.put(topic);
      return this;
    }

    /** Sets the dynamic configurations of a broker, or with an empty id the ones of all. */
    public Builder brokerConfigs(OptionalInt brokerId, Map<String, String> configs) {
      if (brokerId.isPresent()) {
        draft.brokerConfigs.put(brokerId.getAsInt(), Map.copyOf(configs));
      } else {
        draft.brokerDefaults = Map.copyOf(configs);
      }
      return this;
    }

    /** Adds the id of a deleted topic. */
    public Builder deletedTopic(UUID id) {
      draft.deletedTopics.add(id);
      return this;
    }

    /** Returns the image; the builder is of no further use. */
    public MetadataImage build() {
      return new MetadataImage(draft);
    }
  }

  /** The parts of an image while it is made. */
  private static final class Draft {
    private final String clusterId;
    private final int controllerId;
    private long version;
    private long nextProducerId;
    private final Map<String, TopicMetadata> topicsByName;
    private final Map<UUID, TopicMetadata> topicsById;
    private final Map<Integer, Map<String, String>> brokerConfigs;
    private Map<String, String> brokerDefaults = Map.of();
    private final Map<Integer, BrokerMetadata> brokers;
    private final Set<UUID> deletedTopics;

    private Draft(String clusterId, int controllerId) {
      this.clusterId = Objects.requireNonNull(clusterId, "clusterId");
      this.controllerId = controllerId;
      this.topicsByName = new HashMap<>();
      this.topicsById = new HashMap<>();
      this.brokerConfigs = new LinkedHashMap<>();
      this.brokers = new TreeMap<>();
      this.deletedTopics = new HashSet<>();
    }

    private Draft(MetadataImage image) {
      this.clusterId = image.clusterId;
      this.controllerId = image.controllerId;
      this.version = image.version + 1;
      this.nextProducerId = image.nextProducerId;
      this.topicsByName = new HashMap<>(image.topicsByName);
      this.topicsById = new HashMap<>(image.topicsById);
      this.brokerConfigs = new LinkedHashMap<>(image.brokerConfigs);
      this.brokerDefaults = image.brokerDefaults;
      this.brokers = new TreeMap<>(image.brokers);
      this.deletedTopics = new HashSet<>(image.deletedTopics);
    }

    private void put(TopicMetadata topic) {
      topicsByName.put(topic.name(), topic);
      topicsById.put(topic.id(), topic);
    }

    private void remove(TopicMetadata topic) {
      topicsByName.remove(topic.name());
      topicsById.remove(topic.id());
    }
  }
}
