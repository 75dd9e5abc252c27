package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.client.RequestChannel;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.transport.Endpoint;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of a publisher: finds the leader, asks it what it has of the producer, and
 * opens a link.
 *
 * <pre>
 *   leader? --&gt; channel: versions, producer id or its last sequence --&gt; link
 * </pre>
 *
 * <p>Never blocks; immutable.
 */
final class ProduceConnector {

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final Acknowledgement acknowledgement;
  private final ProducerRegistration registration;
  private final FlushPolicy flushPolicy;

  ProduceConnector(IpcClient client, String topic, int partition, Acknowledgement acknowledgement) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.acknowledgement = acknowledgement;
    this.registration = new ProducerRegistration(client.calls());
    this.flushPolicy = new FlushPolicy(client.calls());
  }

  /**
   * A connection to go on with.
   *
   * @param producer under which identity batches are sent; null without one
   * @param lastSequence what the leader has of this producer, {@link RecordBatch#NO_SEQUENCE} where
   *     it has nothing or was not asked
   */
  record Resumption(ProduceLink link, @Nullable ProducerIdentity producer, int lastSequence) {}

  private record Greeting(
      short produceVersion, @Nullable ProducerIdentity producer, int lastSequence) {}

  /**
   * Connects once.
   *
   * @param events learns of the link's answers and of its end
   * @param known the publisher's identity; null where it needs its first one, or another
   * @return fails where a step fails or takes too long; nothing is left open then
   */
  CompletableFuture<Resumption> connect(
      ProduceLink.Events events, @Nullable ProducerIdentity known) {
    return client
        .lookup()
        .leader(topic, partition)
        .thenCompose(
            leader -> greet(leader, known).thenCompose(greeting -> link(leader, greeting, events)));
  }

  private CompletableFuture<Greeting> greet(Endpoint leader, @Nullable ProducerIdentity known) {
    return client
        .calls()
        .connect(leader)
        .thenCompose(
            channel -> greet(channel, known).whenComplete((greeting, failure) -> channel.close()));
  }

  private CompletableFuture<Greeting> greet(
      RequestChannel channel, @Nullable ProducerIdentity known) {
    short version;
    try {
      version = (short) Math.min(channel.versionOf(ApiKey.PRODUCE), ProduceFrames.VERSION_MAX);
      if (acknowledgement.isIdempotent()) {
        channel.versionOf(ApiKey.DESCRIBE_PRODUCERS); // what tells what a leader has
      }
    } catch (IllegalStateException e) {
      return CompletableFuture.failedFuture(new IpcException(String.valueOf(e.getMessage()), e));
    }
    if (version < ProduceFrames.VERSION_MIN) {
      return CompletableFuture.failedFuture(
          new IpcException(
              "%s serves Produce up to v%d; needed is v%d"
                  .formatted(channel.endpoint(), version, ProduceFrames.VERSION_MIN),
              null));
    }
    return acknowledgement.needsFlushPolicy()
        ? flushPolicy
            .requireEachFlushed(channel, topic)
            .thenCompose(held -> register(channel, version, known))
        : register(channel, version, known);
  }

  private CompletableFuture<Greeting> register(
      RequestChannel channel, short version, @Nullable ProducerIdentity known) {
    if (known != null) {
      return registration
          .lastSequence(channel, topic, partition, known)
          .thenApply(lastSequence -> new Greeting(version, known, lastSequence));
    }
    if (!acknowledgement.isIdempotent()) {
      return CompletableFuture.completedFuture(
          new Greeting(version, null, RecordBatch.NO_SEQUENCE));
    }
    return registration
        .newProducer(channel)
        .thenApply(identity -> new Greeting(version, identity, RecordBatch.NO_SEQUENCE));
  }

  private CompletableFuture<Resumption> link(
      Endpoint leader, Greeting greeting, ProduceLink.Events events) {
    ProduceFrames frames =
        new ProduceFrames(
            greeting.produceVersion(),
            client.options().clientId(),
            acknowledgement.acks(),
            (int) Math.min(Integer.MAX_VALUE, client.options().timeout().toMillis()),
            topic,
            partition);
    return client
        .calls()
        .reach(leader, endpoint -> link(endpoint, new ProduceLink(frames, events)))
        .thenApply(link -> new Resumption(link, greeting.producer(), greeting.lastSequence()));
  }

  private CompletableFuture<ProduceLink> link(Endpoint endpoint, ProduceLink fresh) {
    return client
        .calls()
        .connect(endpoint, fresh)
        .handle(
            (connection, failure) -> {
              if (failure != null) {
                fresh.abandon();
                throw new CompletionException(failure);
              }
              return fresh;
            });
  }
}
