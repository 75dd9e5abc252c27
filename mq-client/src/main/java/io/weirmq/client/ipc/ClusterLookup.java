package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.DescribeProducersRequest;
import io.weirmq.protocol.message.DescribeProducersResponse;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.InitProducerIdRequest;
import io.weirmq.protocol.message.InitProducerIdResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Finds who leads a partition or coordinates a group, and connects to him. Blocks; safe for use by
 * several threads.
 */
final class ClusterLookup {

  // Fixed versions: topics by name, and a form that needs no look at what the broker knows.
  private static final short METADATA_VERSION = 9;
  private static final short INIT_PRODUCER_ID_VERSION = 2;
  private static final short FIND_COORDINATOR_VERSION = 2;
  private static final short DESCRIBE_PRODUCERS_VERSION = 0;

  private final Transports transports;
  private final IpcClientOptions options;

  ClusterLookup(Transports transports, IpcClientOptions options) {
    this.transports = transports;
    this.options = options;
  }

  /** A producer's identity. */
  record ProducerIdentity(long id, short epoch) {}

  /** The endpoint to which options lead. */
  private Endpoint bootstrap() {
    Endpoint wanted = options.bootstrap();
    return wanted.isPath() ? wanted : local(wanted.host(), wanted.port()).orElse(wanted);
  }

  private Optional<Endpoint> local(String host, int port) {
    return options.findLocal() && options.bootstrap().scheme().equals("tcp")
        ? LocalEndpoints.ofSystem().find(host, port)
        : Optional.empty();
  }

  private Endpoint endpointOf(MetadataResponse metadata, String host, int port) {
    if (metadata.brokers().size() <= 1) {
      return bootstrap(); // the one that has answered; it may be told under a name we don't know
    }
    Optional<Endpoint> local = options.findLocal() ? ofHost(host, port) : Optional.empty();
    return local.orElseGet(() -> Endpoint.tcp(host, port));
  }

  private static Optional<Endpoint> ofHost(String host, int port) {
    return LocalEndpoints.ofSystem().find(host, port);
  }

  /**
   * Returns where the leader of a partition is.
   *
   * @throws IpcException where there is none, or no such partition
   */
  Endpoint leader(String topic, int partition) throws IOException {
    try (RequestChannel channel = open(bootstrap())) {
      MetadataResponse metadata = metadata(channel, topic);
      MetadataResponse.MetadataResponseTopic found = metadata.topics().get(0);
      ErrorCode error = ErrorCode.forCode(found.errorCode());
      if (error != ErrorCode.NONE) {
        throw new IpcException("topic %s: %s (%s)".formatted(topic, error.text(), error), null);
      }
      for (MetadataResponse.MetadataResponsePartition candidate : found.partitions()) {
        if (candidate.partitionIndex() == partition) {
          return endpointOfNode(metadata, candidate.leaderId(), topic + "-" + partition);
        }
      }
      throw new IpcException(
          "topic %s has partitions 0 to %d, not %d"
              .formatted(topic, found.partitions().size() - 1, partition),
          null);
    }
  }

  /**
   * Returns where the coordinator of a group is.
   *
   * @throws TemporaryException where there is none at the moment
   */
  Endpoint coordinator(String group) throws IOException {
    try (RequestChannel channel = open(bootstrap())) {
      FindCoordinatorRequest request = new FindCoordinatorRequest().setKey(group);
      try (Reply<FindCoordinatorResponse> reply =
          call(
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
        return endpointOf(metadata(channel, null), found.host(), found.port());
      }
    }
  }

  private Endpoint endpointOfNode(MetadataResponse metadata, int node, String what)
      throws IpcException {
    for (MetadataResponse.MetadataResponseBroker broker : metadata.brokers()) {
      if (broker.nodeId() == node) {
        return endpointOf(metadata, broker.host(), broker.port());
      }
    }
    throw new IpcException(what + " has no leader now", null);
  }

  private MetadataResponse metadata(
      RequestChannel channel, @org.jspecify.annotations.Nullable String topic) throws IOException {
    List<MetadataRequest.MetadataRequestTopic> topics =
        topic == null
            ? List.of()
            : List.of(new MetadataRequest.MetadataRequestTopic().setName(topic));
    MetadataRequest request =
        new MetadataRequest().setTopics(topics).setAllowAutoTopicCreation(false);
    try (Reply<MetadataResponse> reply =
        call(channel, ApiKey.METADATA, METADATA_VERSION, request, MetadataResponse.class)) {
      return reply.message();
    }
  }

  /** Asks for an identity under which batches are told apart from their repetitions. */
  ProducerIdentity newProducer(RequestChannel channel) throws IOException {
    InitProducerIdRequest request =
        new InitProducerIdRequest()
            .setTransactionalId(null)
            .setTransactionTimeoutMs(Integer.MAX_VALUE);
    try (Reply<InitProducerIdResponse> reply =
        call(
            channel,
            ApiKey.INIT_PRODUCER_ID,
            INIT_PRODUCER_ID_VERSION,
            request,
            InitProducerIdResponse.class)) {
      ErrorCode error = ErrorCode.forCode(reply.message().errorCode());
      if (error != ErrorCode.NONE) {
        throw new IpcException("no producer id: %s (%s)".formatted(error.text(), error), null);
      }
      return new ProducerIdentity(reply.message().producerId(), reply.message().producerEpoch());
    }
  }

  /**
   * Returns the sequence number of the last record that a leader has of a producer.
   *
   * @return {@link RecordBatch#NO_SEQUENCE} where it has none, or does not tell
   */
  int lastSequence(RequestChannel leader, String topic, int partition, ProducerIdentity producer)
      throws IOException {
    DescribeProducersRequest request =
        new DescribeProducersRequest()
            .setTopics(
                List.of(
                    new DescribeProducersRequest.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partition))));
    try {
      leader.versionOf(ApiKey.DESCRIBE_PRODUCERS);
    } catch (IllegalStateException e) {
      return RecordBatch.NO_SEQUENCE; // then only the leader's own memory of five batches helps
    }
    try (Reply<DescribeProducersResponse> reply =
        call(
            leader,
            ApiKey.DESCRIBE_PRODUCERS,
            DESCRIBE_PRODUCERS_VERSION,
            request,
            DescribeProducersResponse.class)) {
      var found = reply.message().topics().get(0).partitions().get(0);
      ErrorCode error = ErrorCode.forCode(found.errorCode());
      if (error != ErrorCode.NONE) {
        throw new IpcException(
            "producers of %s-%d: %s (%s)".formatted(topic, partition, error.text(), error), null);
      }
      return found.activeProducers().stream()
          .filter(
              each ->
                  each.producerId() == producer.id() && each.producerEpoch() == producer.epoch())
          .mapToInt(DescribeProducersResponse.ProducerState::lastSequence)
          .findFirst()
          .orElse(RecordBatch.NO_SEQUENCE);
    }
  }

  /** Connects and learns what the broker serves. */
  RequestChannel open(Endpoint endpoint) throws IOException {
    return await(
        RequestChannel.open(transports.of(endpoint.scheme()), endpoint, options.clientId()));
  }

  /** Sends a request and waits for its answer. */
  <P extends ApiMessage> Reply<P> call(
      RequestChannel channel, ApiKey api, short version, ApiMessage request, Class<P> response)
      throws IOException {
    return await(channel.send(api, version, request, response));
  }

  /** Waits within the time-out of a request. */
  <T> T await(CompletionStage<T> stage) throws IOException {
    try {
      return stage.toCompletableFuture().get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException e) {
      stage.toCompletableFuture().cancel(false);
      throw new IOException("no answer within " + options.timeout(), e);
    } catch (InterruptedException e) {
      stage.toCompletableFuture().cancel(false);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a broker");
    }
  }
}
