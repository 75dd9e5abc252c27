package io.weirmq.server.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolReader;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.protocol.message.ApiVersionsRequest;
import io.weirmq.protocol.message.ApiVersionsResponse;
import io.weirmq.protocol.message.DirectReadRequest;
import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.protocol.message.RequestHeader;
import io.weirmq.server.internal.handler.ApiVersionsHandler;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Peer;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** APIs that Kafka does not have are there for the broker's own user, and for nobody else. */
class OwnApisTest {

  private static final Peer.UnixUser SELF = new Peer.UnixUser("weir", "staff");

  private final ApiTable table =
      ApiTable.builder()
          .serve(
              ApiKey.DIRECT_READ,
              0,
              0,
              DirectReadRequest::new,
              (RequestContext context, DirectReadRequest request) ->
                  CompletableFuture.completedFuture(new DirectReadResponse()))
          .build(0, 4, ApiVersionsRequest::new, ApiVersionsHandler::new);

  private final FakeConnection transport = new FakeConnection();

  private void connect(Peer peer, Optional<String> ownUser) {
    transport.comesFrom(peer);
    ClientConnections connections =
        new ClientConnections(table, RequestLimits.defaults(), ownUser, System::nanoTime);
    connections.serve();
    ConnectionHandler handler = connections.of(ListenerNames.of("LOCAL")).create(transport);
    transport.handledBy(handler);
  }

  private static ByteBuffer frame(ApiKey key, int version, ApiMessage message) {
    ProtocolWriter writer = new ProtocolWriter();
    new RequestHeader()
        .setRequestApiKey(key.id())
        .setRequestApiVersion((short) version)
        .setCorrelationId(1)
        .setClientId("c")
        .write(writer, key.requestHeaderVersion(version));
    message.write(writer, (short) version);
    return writer.toBuffer();
  }

  private boolean isAdvertised() throws Exception {
    transport.receive(frame(ApiKey.API_VERSIONS, 0, new ApiVersionsRequest()));
    ByteBuffer body = transport.sent(0);
    body.getInt();
    ApiVersionsResponse response =
        new ApiVersionsResponse(new ProtocolReader(body.slice()), (short) 0);
    assertThat(response.apiKeys())
        .as("what Kafka knows is advertised to all")
        .anyMatch(api -> api.apiKey() == ApiKey.API_VERSIONS.id());
    return response.apiKeys().stream().anyMatch(api -> api.apiKey() == ApiKey.DIRECT_READ.id());
  }

  private boolean isServed() {
    transport.receive(frame(ApiKey.DIRECT_READ, 0, new DirectReadRequest()));
    return !transport.isClosed();
  }

  @Test
  void theOwnUserIsServed() throws Exception {
    connect(new Peer("user", 0, null, SELF), Optional.of("weir"));
    assertThat(isAdvertised()).isTrue();
    assertThat(isServed()).isTrue();
  }

  @Test
  void anotherUserOfTheSameGroupIsNot() throws Exception {
    connect(new Peer("user", 0, null, new Peer.UnixUser("other", "staff")), Optional.of("weir"));
    assertThat(isAdvertised()).isFalse();
    assertThat(isServed()).isFalse();
  }

  @Test
  void whoComesOverTcpIsNot() throws Exception {
    connect(Peer.ofAddress("127.0.0.1", 999), Optional.of("weir"));
    assertThat(isAdvertised()).isFalse();
    assertThat(isServed()).isFalse();
  }

  @Test
  void nobodyIsWhereTheSystemDoesNotTellItsUsers() throws Exception {
    connect(new Peer("user", 0, null, SELF), Optional.empty());
    assertThat(isAdvertised()).isFalse();
    assertThat(isServed()).isFalse();
  }
}
