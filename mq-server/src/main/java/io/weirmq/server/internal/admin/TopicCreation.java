package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopic;
import io.weirmq.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.MetadataStore;
import io.weirmq.server.config.GroupSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes topics that nobody asked for by CreateTopics: those that clients just use, and the broker's
 * own. Safe for use by several threads.
 */
public final class TopicCreation {

  private final MetadataStore store;
  private final TopicPlans plans;
  private final GroupSettings groups;

  /** Makes the creation over a store. */
  public TopicCreation(MetadataStore store, TopicPlans plans, GroupSettings groups) {
    this.store = store;
    this.plans = plans;
    this.groups = groups;
  }

  /**
   * Makes a topic with the broker's defaults, or what its name demands where it is the broker's
   * own; a topic that is there already is fine.
   *
   * @return completes with the outcome once the partitions can be used
   */
  public CompletionStage<AdminError> create(String name) {
    MetadataImage image = store.image();
    if (image.topic(name).isPresent()) {
      return CompletableFuture.completedFuture(AdminError.NONE);
    }
    try {
      return store.apply(plans.plan(image, wanted(name))).handle(TopicCreation::outcome);
    } catch (RefusedException e) {
      return CompletableFuture.completedFuture(unlessExists(e.error()));
    }
  }

  private static AdminError outcome(MetadataImage image, Throwable failure) {
    return failure == null ? AdminError.NONE : unlessExists(AdminError.of(failure));
  }

  private static AdminError unlessExists(AdminError error) {
    return error.code() == ErrorCode.TOPIC_ALREADY_EXISTS ? AdminError.NONE : error;
  }

  private CreatableTopic wanted(String name) {
    CreatableTopic topic =
        new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
    if (name.equals("__consumer_offsets")) {
      topic.setNumPartitions(groups.topicPartitionCount());
      topic.setReplicationFactor((short) groups.topicReplicationFactor());
      set(topic, "cleanup.policy", "compact");
      set(topic, "compression.type", "producer");
      set(topic, "segment.bytes", Integer.toString(groups.topicSegmentBytes()));
    }
    return topic;
  }

  private static void set(CreatableTopic topic, String key, String value) {
    topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value));
  }
}
