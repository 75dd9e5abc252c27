package io.weirmq.server.internal.handler;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseBroker;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponsePartition;
import io.weirmq.protocol.message.MetadataResponse.MetadataResponseTopic;
import io.weirmq.replication.metadata.BrokerMetadata;
import io.weirmq.replication.metadata.BrokerMetadata.BrokerEndpoint;
import io.weirmq.replication.metadata.MetadataImage;
import io.weirmq.replication.metadata.PartitionMetadata;
import io.weirmq.replication.metadata.TopicMetadata;
import io.weirmq.server.internal.admin.AuthorizedOperations;
import io.weirmq.server.internal.admin.TopicNames;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.storage.TopicPartition;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Puts Metadata responses together. Safe for use by several threads. */
public final class MetadataAnswers {

  private static final short FIRST_VERSION_WITH_CONTROLLER = 1;
  private static final short FIRST_VERSION_WITH_CLUSTER_ID = 2;
  private static final short FIRST_VERSION_WITH_OFFLINE_REPLICAS = 5;
  private static final short FIRST_VERSION_WITH_LISTENER_ERROR = 6;
  private static final short FIRST_VERSION_WITH_EPOCHS = 7;
  private static final short FIRST_VERSION_WITH_OPERATIONS = 8;
  private static final short FIRST_VERSION_WITH_IDS = 10;
  private static final short LAST_VERSION_WITH_CLUSTER_OPERATIONS = 10;

  private final Predicate<TopicPartition> offlineHere;

  /**
   * Makes the answers.
   *
   * @param offlineHere tells whether a partition that this broker should serve has no log
   */
  public MetadataAnswers(Predicate<TopicPartition> offlineHere) {
    this.offlineHere = offlineHere;
  }

  /** Returns a response with brokers as the request's listener reaches them, and topics. */
  MetadataResponse response(
      RequestContext context,
      MetadataImage image,
      MetadataRequest request,
      List<MetadataResponseTopic> topics) {
    short version = context.apiVersion();
    MetadataResponse response = new MetadataResponse().setTopics(topics);
    for (BrokerMetadata broker : image.brokers().values()) {
      broker
          .endpoint(context.advertisedListener())
          .ifPresent(address -> response.brokers().add(broker(version, broker, address)));
    }
    if (version >= FIRST_VERSION_WITH_CONTROLLER) {
      response.setControllerId(image.controllerId());
    }
    if (version >= FIRST_VERSION_WITH_CLUSTER_ID) {
      response.setClusterId(image.clusterId());
    }
    if (version >= FIRST_VERSION_WITH_OPERATIONS
        && version <= LAST_VERSION_WITH_CLUSTER_OPERATIONS
        && request.includeClusterAuthorizedOperations()) {
      response.setClusterAuthorizedOperations(AuthorizedOperations.CLUSTER);
    }
    return response;
  }

  private static MetadataResponseBroker broker(
      short version, BrokerMetadata broker, BrokerEndpoint address) {
    MetadataResponseBroker answer =
        new MetadataResponseBroker()
            .setNodeId(broker.id())
            .setHost(address.host())
            .setPort(address.port());
    return version >= FIRST_VERSION_WITH_CONTROLLER ? answer.setRack(broker.rack()) : answer;
  }

  /** Returns a topic with its partitions. */
  MetadataResponseTopic topic(
      RequestContext context, MetadataImage image, MetadataRequest request, TopicMetadata topic) {
    short version = context.apiVersion();
    MetadataResponseTopic answer = named(version, topic.name(), topic.id());
    for (int number = 0; number < topic.partitionCount(); number++) {
      answer.partitions().add(partition(context, image, topic, number));
    }
    if (version >= FIRST_VERSION_WITH_OPERATIONS && request.includeTopicAuthorizedOperations()) {
      answer.setTopicAuthorizedOperations(AuthorizedOperations.TOPIC);
    }
    return answer;
  }

  /** Returns a topic with an error and without partitions. */
  MetadataResponseTopic failed(
      RequestContext context, @Nullable String name, UUID id, ErrorCode error) {
    return named(context.apiVersion(), name, id).setErrorCode(error.code());
  }

  private static MetadataResponseTopic named(short version, @Nullable String name, UUID id) {
    MetadataResponseTopic answer = new MetadataResponseTopic().setName(name);
    if (version >= FIRST_VERSION_WITH_CONTROLLER) {
      answer.setIsInternal(name != null && TopicNames.isInternal(name));
    }
    return version >= FIRST_VERSION_WITH_IDS ? answer.setTopicId(id) : answer;
  }

  private MetadataResponsePartition partition(
      RequestContext context, MetadataImage image, TopicMetadata topic, int number) {
    short version = context.apiVersion();
    PartitionMetadata partition = topic.partitions().get(number);
    ErrorCode error = error(context, image, topic, number);
    boolean led = error == ErrorCode.NONE;
    MetadataResponsePartition answer =
        new MetadataResponsePartition()
            .setPartitionIndex(number)
            .setErrorCode(error.code())
            .setLeaderId(led ? partition.leader() : PartitionMetadata.NO_LEADER)
            .setReplicaNodes(partition.replicas())
            .setIsrNodes(partition.isr());
    if (version >= FIRST_VERSION_WITH_EPOCHS) {
      answer.setLeaderEpoch(partition.leaderEpoch());
    }
    if (version >= FIRST_VERSION_WITH_OFFLINE_REPLICAS) {
      boolean here = offlineHere.test(new TopicPartition(topic.name(), number));
      answer.setOfflineReplicas(
          partition.replicas().stream()
              .filter(id -> !image.brokers().containsKey(id) || (here && id == partition.leader()))
              .toList());
    }
    return answer;
  }

  private ErrorCode error(
      RequestContext context, MetadataImage image, TopicMetadata topic, int number) {
    Optional<BrokerMetadata> leader =
        Optional.ofNullable(image.brokers().get(topic.partitions().get(number).leader()));
    if (leader.isEmpty() || offlineHere.test(new TopicPartition(topic.name(), number))) {
      return ErrorCode.LEADER_NOT_AVAILABLE;
    }
    if (leader.get().endpoint(context.advertisedListener()).isEmpty()) {
      return context.apiVersion() >= FIRST_VERSION_WITH_LISTENER_ERROR
          ? ErrorCode.LISTENER_NOT_FOUND
          : ErrorCode.LEADER_NOT_AVAILABLE;
    }
    return ErrorCode.NONE;
  }
}
