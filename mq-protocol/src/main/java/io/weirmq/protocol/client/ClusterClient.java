package io.weirmq.protocol.client;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.message.FindCoordinatorRequest;
import io.weirmq.protocol.message.FindCoordinatorResponse;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Blocking requests to a cluster, for tools: finds brokers, leaders and coordinators, and keeps one
 * channel per broker.
 *
 * <p>It repeats a look-up that the cluster calls temporary up to {@link #ATTEMPTS_MAX} times;
 * requests themselves are sent once. Safe for use by several threads; calls block at most the
 * time-out per request.
 */
public final class ClusterClient implements AutoCloseable {

  /** How often a look-up is tried while the cluster answers with a temporary error. */
  public static final int ATTEMPTS_MAX = 50;

  private static final long BACKOFF_MS = 100;

  private static final String SHARED_MEMORY = "shm:/";

  private final Transport transport;
  private final List<Endpoint> bootstrap;
  private final String clientId;
  private final Duration timeout;
  private final LocalEndpoints places;

  // Guarded by this.
  private final Map<Endpoint, RequestChannel> channels = new HashMap<>();

  /**
   * Makes a client; nothing is connected yet.
   *
   * @param transport serves the scheme of the endpoints; stays the caller's
   * @param bootstrap brokers to ask first, at least one; their scheme is used for all brokers.
   *     Where it is a path, brokers are reached as they have published it on this host
   * @param clientId the name under which brokers know us
   * @param timeout how long a request may take
   */
  public ClusterClient(
      Transport transport, List<Endpoint> bootstrap, String clientId, Duration timeout) {
    this(transport, bootstrap, clientId, timeout, LocalEndpoints.ofSystem());
  }

  /**
   * Makes a client that looks for brokers of this host in other places; nothing is connected yet.
   *
   * @param places where brokers publish their paths
   */
  public ClusterClient(
      Transport transport,
      List<Endpoint> bootstrap,
      String clientId,
      Duration timeout,
      LocalEndpoints places) {
    if (bootstrap.isEmpty()) {
      throw new IllegalArgumentException("no bootstrap endpoint");
    }
    this.transport = transport;
    this.bootstrap = List.copyOf(bootstrap);
    this.clientId = clientId;
    this.timeout = timeout;
    this.places = places;
  }

  /**
   * Parses {@code host:port,host:port}; IPv6 hosts in brackets. An entry of the form {@code
   * shm:/folder} is the path of a broker on this host.
   *
   * @throws IllegalArgumentException where an entry is not of that form
   */
  public static List<Endpoint> parseBootstrap(String servers) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (String entry : servers.split(",", -1)) {
      String server = entry.strip();
      if (server.startsWith(SHARED_MEMORY)) {
        endpoints.add(Endpoint.parse(server));
        continue;
      }
      int colon = server.lastIndexOf(':');
      if (colon <= 0) {
        throw new IllegalArgumentException(
            "bootstrap server \"" + server + "\" is not of the form host:port");
      }
      String host = server.substring(0, colon);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      try {
        endpoints.add(Endpoint.tcp(host, Integer.parseInt(server.substring(colon + 1))));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "bootstrap server \"" + server + "\" has no port number", e);
      }
    }
    return endpoints;
  }

  /**
   * Asks for topics.
   *
   * @param topics names, or null for all
   * @param create whether topics that don't exist may be made, as the broker is configured
   * @throws IOException where no broker answers
   */
  public MetadataResponse metadata(@Nullable List<String> topics, boolean create)
      throws IOException {
    List<MetadataRequest.MetadataRequestTopic> asked = null;
    if (topics != null) {
      asked = new ArrayList<>();
      for (String topic : topics) {
        asked.add(new MetadataRequest.MetadataRequestTopic().setName(topic));
      }
    }
    MetadataRequest request =
        new MetadataRequest().setTopics(asked).setAllowAutoTopicCreation(create);
    try (Reply<MetadataResponse> reply =
        anyBroker().call(ApiKey.METADATA, request, MetadataResponse.class)) {
      return reply.message();
    }
  }

  /**
   * Asks for one topic until all its partitions have leaders.
   *
   * @throws IOException where the topic is not to be had
   */
  public MetadataResponse.MetadataResponseTopic topic(String name, boolean create)
      throws IOException {
    return topic(name, create, partition -> true);
  }

  /**
   * Asks for one topic until those of its partitions have leaders that the caller needs.
   *
   * @param create whether it may be made where it does not exist
   * @param needed tells of a partition's number whether its leader is waited for; others may be
   *     offline
   * @throws IOException where the topic is not to be had
   */
  public MetadataResponse.MetadataResponseTopic topic(
      String name, boolean create, IntPredicate needed) throws IOException {
    ErrorCode error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    List<Integer> leaderless = List.of();
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      MetadataResponse.MetadataResponseTopic topic =
          metadata(List.of(name), create).topics().get(0);
      error = ErrorCode.forCode(topic.errorCode());
      leaderless =
          topic.partitions().stream()
              .filter(partition -> partition.leaderId() < 0)
              .filter(partition -> needed.test(partition.partitionIndex()))
              .map(MetadataResponse.MetadataResponsePartition::partitionIndex)
              .toList();
      if (error == ErrorCode.NONE && leaderless.isEmpty()) {
        return topic;
      }
      boolean mayCome = error == ErrorCode.NONE || error.isRetriable();
      if (!mayCome || (error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION && !create)) {
        break;
      }
      pause();
    }
    if (error == ErrorCode.NONE) {
      throw new IOException(
          "topic \"%s\": partitions %s have no leader".formatted(name, leaderless));
    }
    throw new IOException("topic \"%s\": %s (%s)".formatted(name, error.text(), error));
  }

  /** A bootstrap broker that answers. */
  public Broker anyBroker() throws IOException {
    IOException failure = new IOException("no bootstrap broker answers: " + bootstrap);
    for (Endpoint endpoint : bootstrap) {
      try {
        return new Broker(channel(endpoint));
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  /** The broker that changes metadata. */
  public Broker controller() throws IOException {
    MetadataResponse metadata = metadata(List.of(), false);
    return broker(metadata, metadata.controllerId());
  }

  /** The leader of a partition. */
  public Broker leader(String topic, int partition) throws IOException {
    MetadataResponse metadata = metadata(List.of(topic), false);
    for (var candidate : metadata.topics().get(0).partitions()) {
      if (candidate.partitionIndex() == partition) {
        return broker(metadata, candidate.leaderId());
      }
    }
    throw new IOException("partition " + topic + "-" + partition + " does not exist");
  }

  /** The coordinator of a group. */
  public Broker groupCoordinator(String groupId) throws IOException {
    ErrorCode error = ErrorCode.COORDINATOR_NOT_AVAILABLE;
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      FindCoordinatorRequest request =
          new FindCoordinatorRequest().setKeyType((byte) 0).setCoordinatorKeys(List.of(groupId));
      try (Reply<FindCoordinatorResponse> reply =
          anyBroker().call(ApiKey.FIND_COORDINATOR, request, FindCoordinatorResponse.class)) {
        FindCoordinatorResponse.Coordinator found = reply.message().coordinators().get(0);
        error = ErrorCode.forCode(found.errorCode());
        if (error == ErrorCode.NONE) {
          return new Broker(channel(endpointOf(found.host(), found.port())));
        }
      }
      if (!error.isRetriable()) {
        break;
      }
      pause();
    }
    throw new IOException(
        "coordinator of group \"%s\": %s (%s)".formatted(groupId, error.text(), error));
  }

  /** Closes all channels. Closing again does nothing. */
  @Override
  public synchronized void close() {
    channels.values().forEach(RequestChannel::close);
    channels.clear();
  }

  /**
   * Waits for a stage within this client's time-out.
   *
   * @throws IOException where the stage failed or the time has passed
   */
  public <T> T await(CompletionStage<T> stage) throws IOException {
    try {
      return stage.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (TimeoutException e) {
      // A reply that comes too late then finds nobody, and its frame is released.
      stage.toCompletableFuture().cancel(false);
      throw new IOException("no answer within " + timeout, e);
    } catch (InterruptedException e) {
      stage.toCompletableFuture().cancel(false);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a broker");
    }
  }

  /** Lets a moment pass before something is tried again. */
  public void pause() throws IOException {
    await(
        CompletableFuture.supplyAsync(
            () -> true, CompletableFuture.delayedExecutor(BACKOFF_MS, TimeUnit.MILLISECONDS)));
  }

  private Broker broker(MetadataResponse metadata, int id) throws IOException {
    for (MetadataResponse.MetadataResponseBroker broker : metadata.brokers()) {
      if (broker.nodeId() == id) {
        return new Broker(channel(endpointOf(broker.host(), broker.port())));
      }
    }
    throw new IOException("broker " + id + " is not in the cluster now");
  }

  private Endpoint endpointOf(String host, int port) throws IOException {
    Endpoint first = bootstrap.get(0);
    if (!first.isPath()) {
      return new Endpoint(first.scheme(), host, port);
    }
    LocalEndpoints.Lookup found = places.lookup(host, port);
    return found
        .endpoint()
        .orElseThrow(
            () ->
                new IOException(
                    "broker %s:%d is not reached through shared memory: %s"
                        .formatted(host, port, found.reason())));
  }

  private synchronized RequestChannel channel(Endpoint endpoint) throws IOException {
    RequestChannel known = channels.get(endpoint);
    if (known != null && known.isOpen()) {
      return known;
    }
    RequestChannel opened = await(RequestChannel.open(transport, endpoint, clientId));
    channels.put(endpoint, opened);
    return opened;
  }

  /** A broker that requests can be sent to. Safe for use by several threads. */
  public final class Broker {

    private final RequestChannel channel;

    private Broker(RequestChannel channel) {
      this.channel = channel;
    }

    /** The channel, for requests that are not waited for. */
    public RequestChannel channel() {
      return channel;
    }

    /**
     * Sends a request and waits for the response.
     *
     * @return a reply that the caller closes
     * @throws IOException where there is no answer in time
     */
    public <P extends ApiMessage> Reply<P> call(
        ApiKey api, ApiMessage request, Class<P> responseType) throws IOException {
      return await(channel.send(api, request, responseType));
    }
  }
}
