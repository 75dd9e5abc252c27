package io.weirmq.server;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ApiMessage;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.protocol.message.ProduceResponse;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A blocking client through shared memory. Confined to one thread. */
final class LocalClient implements AutoCloseable {

  private static final int TIMEOUT_SECONDS = 30;

  private final RequestChannel channel;

  private LocalClient(RequestChannel channel) {
    this.channel = channel;
  }

  /** Connects and learns the broker's versions. */
  static LocalClient connect(Transport transport, Endpoint endpoint) throws Exception {
    return new LocalClient(
        RequestChannel.open(transport, endpoint, "local")
            .toCompletableFuture()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
  }

  /** What a test makes of a response, before its memory is given back. */
  interface Use<P, T> {
    T of(P response) throws Exception;
  }

  /** Sends a request and waits for its response. */
  <P extends ApiMessage, T> T ask(
      ApiKey api, int version, ApiMessage request, Class<P> type, Use<P, T> use) throws Exception {
    try (Reply<P> reply =
        channel
            .send(api, (short) version, request, type)
            .toCompletableFuture()
            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      return use.of(reply.message());
    }
  }

  /** Produces one batch with acks=all; returns its base offset. */
  long produce(String topic, ByteBuffer batch) throws Exception {
    return ask(
        ApiKey.PRODUCE,
        9,
        TestBroker.produce(topic, 0, -1, batch),
        ProduceResponse.class,
        response -> {
          ProduceResponse.PartitionProduceResponse partition =
              response.responses().get(0).partitionResponses().get(0);
          if (partition.errorCode() != 0) {
            throw new AssertionError("error " + partition.errorCode());
          }
          return partition.baseOffset();
        });
  }

  /** Fetches partition 0 from an offset; returns the values. */
  List<String> fetch(String topic, long offset) throws Exception {
    return ask(
        ApiKey.FETCH,
        12,
        TestBroker.fetch(topic, 0, offset),
        FetchResponse.class,
        response -> TestBroker.values(response.responses().get(0).partitions().get(0)));
  }

  @Override
  public void close() {
    channel.close();
  }
}
