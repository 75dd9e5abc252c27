package io.weirmq.client.ipc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

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
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Finds who leads a partition or coordinates a group, and connects to him.
 *
 * <p>What returns a future never blocks: its steps run on the client's conductor and on I/O
 * threads, and each request has the client's time-out. So one broker that does not answer holds
 * nobody up who looks for another. The rest blocks, and is for callers that may. Safe for use by
 * several threads.
 */
final class ClusterLookup {

  // Fixed versions: topics by name, and a form that needs no look at what the broker knows.
  private static final short METADATA_VERSION = 9;
  private static final short INIT_PRODUCER_ID_VERSION = 2;
  private static final short FIND_COORDINATOR_VERSION = 2;
  private static final short DESCRIBE_PRODUCERS_VERSION = 0;

  /** Requests and connects in the longest chain of steps: a leader's is five. */
  private static final int STEPS_MAX = 8;

  private final Transports transports;
  private final IpcClientOptions options;
  private final Executor conductor;

  /**
   * Makes it.
   *
   * @param conductor runs the steps, none of which blocks
   */
  ClusterLookup(Transports transports, IpcClientOptions options, Executor conductor) {
    this.transports = transports;
    this.options = options;
    this.conductor = conductor;
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
   * Finds where the leader of a partition is.
   *
   * @return fails with an {@link IpcException} where there is none, or no such partition
   */
  CompletableFuture<Endpoint> leader(String topic, int partition) {
    CompletableFuture<Endpoint> first;
    try {
      first = CompletableFuture.supplyAsync(this::bootstrap, conductor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new IpcException("the client is closed", e));
    }
    return first
        .thenCompose(this::connect)
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
      throw failed("topic %s: %s (%s)".formatted(topic, error.text(), error));
    }
    for (MetadataResponse.MetadataResponsePartition candidate : found.partitions()) {
      if (candidate.partitionIndex() == partition) {
        return endpointOfNode(metadata, candidate.leaderId(), topic + "-" + partition);
      }
    }
    throw failed(
        "topic %s has partitions 0 to %d, not %d"
            .formatted(topic, found.partitions().size() - 1, partition));
  }

  /** Finds the leader of a partition and connects to it; see {@link #leader}. */
  CompletableFuture<RequestChannel> connectToLeader(String topic, int partition) {
    return leader(topic, partition).thenComposeAsync(this::connect, conductor);
  }

  /** As {@link #connectToLeader}, but waits for it. */
  RequestChannel openLeader(String topic, int partition) throws IOException {
    return awaitOpen(connectToLeader(topic, partition));
  }

  private RequestChannel awaitOpen(CompletableFuture<RequestChannel> coming) throws IOException {
    try {
      return await(coming);
    } catch (IOException e) {
      coming.thenAccept(RequestChannel::close);
      throw e;
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
        return endpointOf(await(metadata(channel, null)), found.host(), found.port());
      }
    }
  }

  private Endpoint endpointOfNode(MetadataResponse metadata, int node, String what) {
    for (MetadataResponse.MetadataResponseBroker broker : metadata.brokers()) {
      if (broker.nodeId() == node) {
        return endpointOf(metadata, broker.host(), broker.port());
      }
    }
    throw failed(what + " has no leader now");
  }

  private CompletableFuture<MetadataResponse> metadata(
      RequestChannel channel, @Nullable String topic) {
    List<MetadataRequest.MetadataRequestTopic> topics =
        topic == null
            ? List.of()
            : List.of(new MetadataRequest.MetadataRequestTopic().setName(topic));
    MetadataRequest request =
        new MetadataRequest().setTopics(topics).setAllowAutoTopicCreation(false);
    return ask(channel, ApiKey.METADATA, METADATA_VERSION, request, MetadataResponse.class)
        .thenApply(ClusterLookup::takeOut);
  }

  /** Asks for an identity under which batches are told apart from their repetitions. */
  CompletableFuture<ProducerIdentity> newProducer(RequestChannel channel) {
    InitProducerIdRequest request =
        new InitProducerIdRequest()
            .setTransactionalId(null)
            .setTransactionTimeoutMs(Integer.MAX_VALUE);
    return ask(
            channel,
            ApiKey.INIT_PRODUCER_ID,
            INIT_PRODUCER_ID_VERSION,
            request,
            InitProducerIdResponse.class)
        .thenApply(ClusterLookup::takeOut)
        .thenApply(
            answer -> {
              ErrorCode error = ErrorCode.forCode(answer.errorCode());
              if (error != ErrorCode.NONE) {
                throw failed("no producer id: %s (%s)".formatted(error.text(), error));
              }
              return new ProducerIdentity(answer.producerId(), answer.producerEpoch());
            });
  }

  /**
   * Asks for the sequence number of the last record that a leader has of a producer.
   *
   * @return {@link RecordBatch#NO_SEQUENCE} where it has none
   */
  CompletableFuture<Integer> lastSequence(
      RequestChannel leader, String topic, int partition, ProducerIdentity producer) {
    DescribeProducersRequest request =
        new DescribeProducersRequest()
            .setTopics(
                List.of(
                    new DescribeProducersRequest.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partition))));
    return ask(
            leader,
            ApiKey.DESCRIBE_PRODUCERS,
            DESCRIBE_PRODUCERS_VERSION,
            request,
            DescribeProducersResponse.class)
        .thenApply(ClusterLookup::takeOut)
        .thenApply(answer -> lastSequenceIn(answer, topic, partition, producer));
  }

  private static int lastSequenceIn(
      DescribeProducersResponse answer, String topic, int partition, ProducerIdentity producer) {
    var found = answer.topics().get(0).partitions().get(0);
    ErrorCode error = ErrorCode.forCode(found.errorCode());
    if (error != ErrorCode.NONE) {
      throw failed("producers of %s-%d: %s (%s)".formatted(topic, partition, error.text(), error));
    }
    return found.activeProducers().stream()
        .filter(
            each -> each.producerId() == producer.id() && each.producerEpoch() == producer.epoch())
        .mapToInt(DescribeProducersResponse.ProducerState::lastSequence)
        .findFirst()
        .orElse(RecordBatch.NO_SEQUENCE);
  }

  /** What a step of a chain throws. */
  private static CompletionException failed(String message) {
    return new CompletionException(new IpcException(message, null));
  }

  private static <P extends ApiMessage> P takeOut(Reply<P> reply) {
    try (reply) {
      return reply.message();
    }
  }

  /** Connects and learns what the broker serves. */
  CompletableFuture<RequestChannel> connect(Endpoint endpoint) {
    return bounded(
        RequestChannel.open(transports.of(endpoint.scheme()), endpoint, options.clientId()));
  }

  /** As {@link #connect}, but waits for it. */
  RequestChannel open(Endpoint endpoint) throws IOException {
    return awaitOpen(connect(endpoint));
  }

  /** Connects without asking for anything. */
  CompletableFuture<Connection> connect(Endpoint endpoint, ConnectionHandler handler) {
    return bounded(transports.of(endpoint.scheme()).connect(endpoint, handler));
  }

  private <P extends ApiMessage> CompletableFuture<Reply<P>> ask(
      RequestChannel channel, ApiKey api, short version, ApiMessage request, Class<P> response) {
    return bounded(channel.send(api, version, request, response));
  }

  /** Sends a request and waits for its answer. */
  <P extends ApiMessage> Reply<P> call(
      RequestChannel channel, ApiKey api, short version, ApiMessage request, Class<P> response)
      throws IOException {
    CompletableFuture<Reply<P>> coming = ask(channel, api, version, request, response);
    try {
      return await(coming);
    } catch (IOException e) {
      coming.thenAccept(Reply::close);
      throw e;
    }
  }

  /** What comes later than the time-out is closed or released by its maker. */
  private <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(Nanos.of(options.timeout()), NANOSECONDS);
  }

  /**
   * Waits for a chain of steps, each of which has the time-out of a request.
   *
   * <p>Where it throws, the chain goes on until its next step fails or the last one is done: the
   * caller closes what comes then. Cancelling it would hide that, as only the last future of a
   * chain is cancelled and none of its steps.
   */
  <T> T await(CompletableFuture<T> stage) throws IOException {
    Duration allSteps = Duration.ofNanos(Nanos.of(options.timeout())).multipliedBy(STEPS_MAX);
    try {
      return stage.get(Nanos.of(allSteps), NANOSECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof TimeoutException) {
        throw new IOException("no answer within " + options.timeout(), cause);
      }
      String message = String.valueOf(cause.getMessage());
      throw cause instanceof IpcException
          ? new IpcException(message, cause)
          : new IOException(message, cause);
    } catch (TimeoutException e) {
      throw new IOException(
          "no outcome within %s, %d times what one request may take".formatted(allSteps, STEPS_MAX),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a broker");
    }
  }
}
