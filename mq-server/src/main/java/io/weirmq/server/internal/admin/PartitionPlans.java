package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.CreatePartitionsRequest.CreatePartitionsAssignment;
import io.weirmq.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import io.weirmq.replication.metadata.MetadataChange.AddPartitions;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.config.TopicSettings;
import java.util.List;

/** Makes changes of what is asked for more partitions, by the rules. Immutable. */
public final class PartitionPlans {

  private final TopicSettings settings;

  /** Makes the plans of a broker. */
  public PartitionPlans(TopicSettings settings) {
    this.settings = settings;
  }

  /** The partitions that one request may create. */
  public int requestPartitionsMax() {
    return settings.requestPartitionsMax();
  }

  /**
   * Returns the change that adds partitions to a topic.
   *
   * @param image what there is
   * @param asked what is asked for: the number of partitions afterwards
   * @param addedMax the number of partitions that the request may still add
   * @throws RefusedException where it breaks a rule
   */
  public AddPartitions plan(MetadataImage image, CreatePartitionsTopic asked, int addedMax)
      throws RefusedException {
    TopicMetadata topic =
        image
            .topic(asked.name())
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.text()));
    int present = topic.partitionCount();
    if (asked.count() == present) {
      throw invalidCount("Topic already has %d partition(s).".formatted(present));
    }
    if (asked.count() < present) {
      throw invalidCount(
          "The topic %s currently has %d partition(s); %d would not be an increase."
              .formatted(topic.name(), present, asked.count()));
    }
    int added = asked.count() - present;
    if (added > addedMax) {
      throw new RefusedException(
          ErrorCode.POLICY_VIOLATION,
          "%d partitions are asked for, %d are left of the %d that a request may create"
                  .formatted(added, addedMax, settings.requestPartitionsMax())
              + " (weirmq.request.partitions.max).");
    }
    return new AddPartitions(topic.id(), present, replicas(image, topic, asked, added));
  }

  private static List<List<Integer>> replicas(
      MetadataImage image, TopicMetadata topic, CreatePartitionsTopic asked, int added)
      throws RefusedException {
    int replicationFactor = topic.partitions().get(0).replicas().size();
    List<CreatePartitionsAssignment> assignments = asked.assignments();
    if (assignments == null) {
      return TopicPlans.place(
          image, topic.partitionCount(), added, replicationFactor, topic.name().hashCode());
    }
    if (assignments.size() != added) {
      throw new RefusedException(
          ErrorCode.INVALID_REPLICA_ASSIGNMENT,
          "Attempted to add %d additional partition(s), but %d assignment(s) were specified."
              .formatted(added, assignments.size()));
    }
    List<List<Integer>> partitions =
        assignments.stream().map(CreatePartitionsAssignment::brokerIds).toList();
    new Assignments(image.brokers().keySet()).check(partitions, replicationFactor);
    return partitions;
  }

  private static RefusedException invalidCount(String message) {
    return new RefusedException(ErrorCode.INVALID_PARTITIONS, message);
  }
}
