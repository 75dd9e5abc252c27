package io.weirmq.protocol.client;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolException;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.frame.IncomingResponse;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one broker: sends requests and pairs the responses with them.
 *
 * <p>Opening asks for ApiVersions; from then on each request goes out in the highest version that
 * both sides know. Responses come in request order (facts of the protocol), which is checked by
 * correlation id; a mismatch ends the channel. At most {@link #REQUESTS_IN_FLIGHT_MAX} requests
 * wait for an answer; one more is refused.
 *
 * <p>Safe for use by several threads.
 */
public final class RequestChannel implements AutoCloseable {

  /** Requests that may wait for an answer on one channel. */
  public static final int REQUESTS_IN_FLIGHT_MAX = 10_000;

  private static final String SOFTWARE_NAME = "weirmq";
  private static final String SOFTWARE_VERSION = "0.1.0";

  /** The version that every broker answers, if only to say that it wants another. */
  private static final short API_VERSIONS_VERSION = 3;

  private final FrameCodec codec = new FrameCodec();
  private final String clientId;
  private final Endpoint endpoint;
  private final Map<ApiKey, VersionRange> brokerVersions = new EnumMap<>(ApiKey.class);

  // Guarded by this: order of sends, waiting requests and the end are decided together.
  private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
  private @Nullable Connection connection;
  private @Nullable Throwable ended;
  private int nextCorrelationId;

  private RequestChannel(Endpoint endpoint, String clientId) {
    this.endpoint = endpoint;
    this.clientId = clientId;
  }

  /**
   * Connects and learns the broker's versions.
   *
   * @param transport serves the endpoint's scheme; stays the caller's
   * @param endpoint a broker's listener
   * @param clientId the name under which the broker knows us
   * @return completes with an open channel, or with an {@link java.io.IOException} that names the
   *     endpoint
   */
  public static CompletionStage<RequestChannel> open(
      Transport transport, Endpoint endpoint, String clientId) {
    RequestChannel channel = new RequestChannel(endpoint, clientId);
    CompletableFuture<RequestChannel> opened =
        transport
            .connect(endpoint, channel.new Handler())
            .thenCompose(connection -> channel.negotiate())
            .thenApply(done -> channel)
            .toCompletableFuture();
    // Also where the caller has given up: a connection that comes too late is not left behind.
    opened.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            channel.close();
          }
        });
    return opened;
  }

  /** The broker's endpoint. */
  public Endpoint endpoint() {
    return endpoint;
  }

  /**
   * The version in which requests of an API go out: the highest that both sides know.
   *
   * @throws IllegalStateException where the broker does not serve the API in any of our versions
   */
  public short versionOf(ApiKey api) {
    VersionRange range = brokerVersions.get(api);
    if (range == null) {
      throw new IllegalStateException(endpoint + " does not serve " + api.apiName());
    }
    short version = (short) Math.min(range.highest(), api.highestStableVersion());
    if (version < range.lowest() || version < api.lowestVersion()) {
      throw new IllegalStateException(
          "%s serves %s in versions %d-%d, we speak %d-%d"
              .formatted(
                  endpoint,
                  api.apiName(),
                  range.lowest(),
                  range.highest(),
                  api.lowestVersion(),
                  api.highestStableVersion()));
    }
    return version;
  }

  /**
   * Sends a request in the version of {@link #versionOf}; see {@link #send(ApiKey, short,
   * ApiMessage, Class)}.
   */
  public <P extends ApiMessage> CompletionStage<Reply<P>> send(
      ApiKey api, ApiMessage request, Class<P> responseType) {
    return send(api, versionOf(api), request, responseType);
  }

  /**
   * Sends a request.
   *
   * @param request its record buffers are borrowed until the reply is there
   * @param responseType the class of the response
   * @return completes with a reply that the caller closes, or with a {@link ChannelException}
   */
  public <P extends ApiMessage> CompletionStage<Reply<P>> send(
      ApiKey api, short version, ApiMessage request, Class<P> responseType) {
    CompletableFuture<Reply<P>> reply = new CompletableFuture<>();
    transmit(api, version, request, new Waiting<>(api, version, 0, responseType, reply), reply);
    return reply;
  }

  /**
   * Sends a request that has no response: a Produce with acks=0.
   *
   * @return fails where the channel has ended, else is complete
   */
  public CompletionStage<@Nullable Void> sendOneWay(ApiKey api, ApiMessage request) {
    CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
    transmit(api, versionOf(api), request, null, sent);
    sent.complete(null);
    return sent;
  }

  /** Whether the channel can still send. */
  public synchronized boolean isOpen() {
    return ended == null && connection != null;
  }

  /**
   * Whether the broker keeps up with reading; a sender without own bounds stops where it is false.
   */
  public synchronized boolean isWritable() {
    return connection != null && connection.isWritable();
  }

  /** Closes the connection; requests without an answer fail. Closing again does nothing. */
  @Override
  public void close() {
    Connection open;
    synchronized (this) {
      open = connection;
    }
    end(new ChannelException("the channel to " + endpoint + " was closed", null));
    if (open != null) {
      open.close();
    }
  }

  private CompletionStage<@Nullable Void> negotiate() {
    ApiVersionsRequest request =
        new ApiVersionsRequest()
            .setClientSoftwareName(SOFTWARE_NAME)
            .setClientSoftwareVersion(SOFTWARE_VERSION);
    return send(ApiKey.API_VERSIONS, API_VERSIONS_VERSION, request, ApiVersionsResponse.class)
        .thenAccept(
            reply -> {
              try (reply) {
                for (ApiVersionsResponse.ApiVersion row : reply.message().apiKeys()) {
                  ApiKey api = ApiKey.forId(row.apiKey());
                  if (api != null) {
                    brokerVersions.put(api, new VersionRange(row.minVersion(), row.maxVersion()));
                  }
                }
              }
            });
  }

  private void transmit(
      ApiKey api,
      short version,
      ApiMessage request,
      @Nullable Waiting<?> entry,
      CompletableFuture<?> outcome) {
    Connection target;
    synchronized (this) {
      target = connection;
      if (ended != null || target == null) {
        outcome.completeExceptionally(
            new ChannelException("the channel to " + endpoint + " is not open", ended));
        return;
      }
      if (waiting.size() >= REQUESTS_IN_FLIGHT_MAX) {
        outcome.completeExceptionally(
            new ChannelException(
                "%d requests wait for %s, the limit".formatted(waiting.size(), endpoint), null));
        return;
      }
      int correlationId = nextCorrelationId++;
      OutboundFrame frame = codec.encodeRequest(api, version, correlationId, clientId, request);
      if (entry != null) {
        waiting.add(entry.withCorrelationId(correlationId));
      }
      target.send(frame);
    }
    target.flush();
  }

  private void receive(InboundFrame frame) throws ProtocolException {
    Waiting<?> entry;
    synchronized (this) {
      entry = waiting.poll();
    }
    if (entry == null) {
      frame.release();
      throw new ProtocolException(endpoint + " sent a response that nobody asked for");
    }
    entry.complete(frame, codec, endpoint);
  }

  private void end(Throwable cause) {
    List<Waiting<?>> failed;
    synchronized (this) {
      if (ended == null) {
        ended = cause;
      }
      failed = new ArrayList<>(waiting);
      waiting.clear();
    }
    for (Waiting<?> entry : failed) {
      entry.fail(
          new ChannelException(
              "no answer to %s from %s".formatted(entry.api().apiName(), endpoint), cause));
    }
  }

  private record VersionRange(short lowest, short highest) {}

  /** A request that waits for its response. */
  private record Waiting<P extends ApiMessage>(
      ApiKey api,
      short version,
      int correlationId,
      Class<P> responseType,
      CompletableFuture<Reply<P>> reply) {

    Waiting<P> withCorrelationId(int id) {
      return new Waiting<>(api, version, id, responseType, reply);
    }

    void complete(InboundFrame frame, FrameCodec codec, Endpoint endpoint)
        throws ProtocolException {
      P message;
      try {
        IncomingResponse response = codec.openResponse(frame.buffer());
        if (response.correlationId() != correlationId) {
          throw new ProtocolException(
              "%s answered %s with correlation id %d, expected %d"
                  .formatted(endpoint, api.apiName(), response.correlationId(), correlationId));
        }
        message = responseType.cast(response.readMessage(api, version));
      } catch (ProtocolException | RuntimeException e) {
        frame.release();
        fail(e);
        throw e;
      }
      if (!reply.complete(new Reply<>(message, version, frame))) {
        frame.release();
      }
    }

    void fail(Throwable cause) {
      reply.completeExceptionally(cause);
    }
  }

  /** Hands the connection's events to the channel. */
  private final class Handler implements ConnectionHandler {

    @Override
    public void onOpen(Connection opened) {
      boolean tooLate;
      synchronized (RequestChannel.this) {
        connection = opened;
        tooLate = ended != null;
      }
      if (tooLate) {
        opened.close();
      }
    }

    @Override
    public void onFrame(Connection source, InboundFrame frame) {
      try {
        receive(frame);
      } catch (ProtocolException e) {
        end(e);
        source.close();
      }
    }

    @Override
    public void onClosed(Connection closed, @Nullable Throwable cause) {
      end(cause != null ? cause : new ChannelException(endpoint + " closed the connection", null));
    }
  }
}
