package io.weirmq.server.internal.group;

import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.ProtocolWriter;
import io.weirmq.server.internal.request.ApiHandler;
import io.weirmq.server.internal.request.RequestContext;
import io.weirmq.server.internal.request.StubClient;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.jspecify.annotations.Nullable;

/** Calls handlers over a coordinator in virtual time, and reads what they answer as Kafka would. */
final class HandlerBed implements TopicCatalog {

  static final UUID ORDERS_ID = new UUID(7, 1);
  static final UUID UNKNOWN_ID = new UUID(7, 99);

  final GroupTestBed bed = new GroupTestBed();
  private final Map<String, UUID> topics = Map.of("orders", ORDERS_ID);

  @Override
  public int partitionCount(String topic) {
    return topics.containsKey(topic) ? 2 : 0;
  }

  @Override
  public @Nullable UUID topicId(String topic) {
    return topics.get(topic);
  }

  @Override
  public @Nullable String topicName(UUID topicId) {
    return topicId.equals(ORDERS_ID) ? "orders" : null;
  }

  <Q extends ApiMessage, P extends ApiMessage> CompletableFuture<P> begin(
      ApiHandler<Q, P> handler, int version, Q request) {
    CompletionStage<P> stage =
        handler.handle(
            new RequestContext((short) version, 1, "client", new StubClient("PLAINTEXT")), request);
    return bed.await(stage);
  }

  /** The answer, encoded by us and decoded by Kafka's own class. */
  <K> K read(Class<K> type, short apiKey, int version, CompletableFuture<? extends ApiMessage> p) {
    ProtocolWriter writer = new ProtocolWriter();
    bed.get(p).write(writer, (short) version);
    ByteBuffer encoded = writer.toBuffer();
    org.apache.kafka.common.protocol.ApiMessage read =
        ApiMessageType.fromApiKey(apiKey).newResponse();
    read.read(new ByteBufferAccessor(encoded), (short) version);
    if (encoded.hasRemaining()) {
      throw new AssertionError(encoded.remaining() + " bytes are left behind " + read);
    }
    return type.cast(read);
  }

  <Q extends ApiMessage, P extends ApiMessage, K> K call(
      Class<K> type, short apiKey, ApiHandler<Q, P> handler, int version, Q request) {
    return read(type, apiKey, version, begin(handler, version, request));
  }
}
