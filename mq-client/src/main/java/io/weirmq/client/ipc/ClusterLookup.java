package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Finds who leads a partition or coordinates a group. What returns a future never blocks, see
 * {@link BrokerCalls}. Safe for use by several threads.
 */
final class ClusterLookup {

  // Fixed versions: topics by name, and a form that needs no look at what the broker knows.
  private static final short METADATA_VERSION = 9;
  private static final short FIND_COORDINATOR_VERSION = 2;

  private final BrokerCalls calls;
  private final Endpoint bootstrap;
  private final Executor conductor;

  /**
   * Makes it.
   *
   * @param bootstrap a broker of the cluster
   * @param conductor runs the steps, none of which blocks
   */
  ClusterLookup(BrokerCalls calls, Endpoint bootstrap, Executor conductor) {
    this.calls = calls;
    this.bootstrap = bootstrap;
    this.conductor = conductor;
  }

  private Endpoint endpointOf(MetadataResponse metadata, String host, int port) {
    // Where it is the only one: it has answered, and may be told under a name that we don't know.
    return metadata.brokers().size() <= 1 ? bootstrap : Endpoint.tcp(host, port);
  }

  /**
   * Finds where the leader of a partition is.
   *
   * @return fails with an {@link IpcException} where there is none, or no such partition
   */
  CompletableFuture<Endpoint> leader(String topic, int partition) {
    return calls
        .connect(bootstrap)
        .thenComposeAsync(
            channel ->
                metadata(channel, topic)
                    .thenApplyAsync(found -> leaderIn(found, topic, partition), conductor)
                    .whenComplete((leader, failure) -> channel.close()),
            conductor);
  }

  private Endpoint leaderIn(MetadataResponse metadata, String topic, int partition) {
    MetadataResponse.MetadataResponseTopic found = metadata.topics().get(0);
    ErrorCode error = ErrorCode.forCode(found.errorCode());
    if (error != ErrorCode.NONE) {
      throw BrokerCalls.failed("topic %s: %s (%s)".formatted(topic, error.text(), error));
    }
    for (MetadataResponse.MetadataResponsePartition candidate : found.partitions()) {
      if (candidate.partitionIndex() == partition) {
        return endpointOfNode(metadata, candidate.leaderId(), topic + "-" + partition);
      }
    }
    throw BrokerCalls.failed(
        "topic %s has partitions 0 to %d, not %d"
            .formatted(topic, found.partitions().size() - 1, partition));
  }

  /** Finds the leader of a partition and connects to it; see {@link #leader}. */
  CompletableFuture<RequestChannel> connectToLeader(String topic, int partition) {
    return leader(topic, partition).thenCompose(calls::connect);
  }

  /** As {@link #connectToLeader}, but waits for it. */
  RequestChannel openLeader(String topic, int partition) throws IOException {
    return calls.awaitOpen(connectToLeader(topic, partition));
  }

  /**
   * Returns where the coordinator of a group is.
   *
   * @throws TemporaryException where there is none at the moment
   */
  Endpoint coordinator(String group) throws IOException {
    try (RequestChannel channel = calls.open(bootstrap)) {
      FindCoordinatorRequest request = new FindCoordinatorRequest().setKey(group);
      try (Reply<FindCoordinatorResponse> reply =
          calls.call(
              channel,
              ApiKey.FIND_COORDINATOR,
              FIND_COORDINATOR_VERSION,
              request,
              FindCoordinatorResponse.class)) {
        FindCoordinatorResponse found = reply.message();
        ErrorCode error = ErrorCode.forCode(found.errorCode());
        if (error != ErrorCode.NONE) {
          String message = "coordinator of group %s: %s (%s)".formatted(group, error.text(), error);
          throw error.isRetriable()
              ? new TemporaryException(message)
              : new IpcException(message, null);
        }
        return endpointOf(calls.await(metadata(channel, null)), found.host(), found.port());
      }
    }
  }

  private Endpoint endpointOfNode(MetadataResponse metadata, int node, String what) {
    for (MetadataResponse.MetadataResponseBroker broker : metadata.brokers()) {
      if (broker.nodeId() == node) {
        return endpointOf(metadata, broker.host(), broker.port());
      }
    }
    throw BrokerCalls.failed(what + " has no leader now");
  }

  private CompletableFuture<MetadataResponse> metadata(
      RequestChannel channel, @Nullable String topic) {
    List<MetadataRequest.MetadataRequestTopic> topics =
        topic == null
            ? List.of()
            : List.of(new MetadataRequest.MetadataRequestTopic().setName(topic));
    MetadataRequest request =
        new MetadataRequest().setTopics(topics).setAllowAutoTopicCreation(false);
    return calls
        .ask(channel, ApiKey.METADATA, METADATA_VERSION, request, MetadataResponse.class)
        .thenApply(BrokerCalls::takeOut);
  }
}
