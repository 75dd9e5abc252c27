package io.weirmq.server;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.frame.FrameCodec;
import io.weirmq.protocol.message.MetadataRequest;
import io.weirmq.transport.Connection;
import io.weirmq.transport.ConnectionHandler;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.InboundFrame;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.Transport;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A client that asks and does not read until it is told to. */
final class StalledConsumer implements ConnectionHandler {

  private final AtomicInteger received = new AtomicInteger();
  private final FrameCodec codec = new FrameCodec();
  private @Nullable Connection connection;
  private volatile boolean cut;
  private int nextCorrelationId;

  static StalledConsumer connect(Transport transport, Endpoint endpoint) throws Exception {
    StalledConsumer consumer = new StalledConsumer();
    consumer.connection =
        transport.connect(endpoint, consumer).toCompletableFuture().get(30, TimeUnit.SECONDS);
    return consumer;
  }

  /** Asks for partition 0 from its beginning. */
  void sendFetch(String topic) {
    send(
        codec.encodeRequest(
            ApiKey.FETCH,
            (short) 12,
            nextCorrelationId++,
            "stalled",
            TestBroker.fetch(topic, 0, 0)));
  }

  /** Asks for topics that are not there; the answer names them, and is as long as the question. */
  void sendMetadata(List<String> topics) {
    List<MetadataRequest.MetadataRequestTopic> wanted =
        topics.stream()
            .map(name -> new MetadataRequest.MetadataRequestTopic().setName(name))
            .toList();
    send(
        codec.encodeRequest(
            ApiKey.METADATA,
            (short) 9,
            nextCorrelationId++,
            "stalled",
            new MetadataRequest().setTopics(wanted).setAllowAutoTopicCreation(false)));
  }

  /** Whether the connection has ended. */
  boolean isCut() {
    return cut;
  }

  /** Sends what is no request. */
  void sendNonsense() {
    send(OutboundFrame.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
  }

  private void send(OutboundFrame frame) {
    Connection open = Objects.requireNonNull(connection);
    open.send(frame);
    open.flush();
  }

  /** Responses that have come. */
  int receivedCount() {
    return received.get();
  }

  void resume() {
    Objects.requireNonNull(connection).resumeReading();
  }

  @Override
  public void onOpen(Connection opened) {
    opened.pauseReading();
  }

  @Override
  public void onFrame(Connection from, InboundFrame frame) {
    received.incrementAndGet();
    frame.release();
  }

  @Override
  public void onClosed(Connection ended, @Nullable Throwable cause) {
    cut = true;
  }
}
