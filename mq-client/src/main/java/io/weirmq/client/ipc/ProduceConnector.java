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
 * <p>Never blocks. One attempt at a time; {@link #producer()} may be asked by any thread.
 */
final class ProduceConnector {

  private final IpcClient client;
  private final String topic;
  private final int partition;
  private final Acknowledgement acknowledgement;

  private volatile ClusterLookup.@Nullable ProducerIdentity producer;

  ProduceConnector(IpcClient client, String topic, int partition, Acknowledgement acknowledgement) {
    this.client = client;
    this.topic = topic;
    this.partition = partition;
    this.acknowledgement = acknowledgement;
  }

  /**
   * A connection to go on with.
   *
   * @param lastSequence what the leader has of this producer, {@link RecordBatch#NO_SEQUENCE} where
   *     it has nothing or was not asked
   */
  record Resumption(ProduceLink link, int lastSequence) {}

  private record Greeting(short produceVersion, int lastSequence) {}

  /** Under which identity batches are sent; null before the first connection, and without one. */
  ClusterLookup.@Nullable ProducerIdentity producer() {
    return producer;
  }

  /**
   * Connects once.
   *
   * @param events learns of the link's answers and of its end
   * @return fails where a step fails or takes too long; nothing is left open then
   */
  CompletableFuture<Resumption> connect(ProduceLink.Events events) {
    return client
        .lookup()
        .leader(topic, partition)
        .thenCompose(
            leader -> greet(leader).thenCompose(greeting -> link(leader, greeting, events)));
  }

  private CompletableFuture<Greeting> greet(Endpoint leader) {
    return client
        .lookup()
        .connect(leader)
        .thenCompose(
            channel -> greet(channel).whenComplete((greeting, failure) -> channel.close()));
  }

  private CompletableFuture<Greeting> greet(RequestChannel channel) {
    short version;
    try {
      version = (short) Math.min(channel.versionOf(ApiKey.PRODUCE), ProduceFrames.VERSION_MAX);
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
    ClusterLookup.ProducerIdentity known = producer;
    if (known != null) {
      return client
          .lookup()
          .lastSequence(channel, topic, partition, known)
          .thenApply(lastSequence -> new Greeting(version, lastSequence));
    }
    if (!acknowledgement.isIdempotent()) {
      return CompletableFuture.completedFuture(new Greeting(version, RecordBatch.NO_SEQUENCE));
    }
    return client
        .lookup()
        .newProducer(channel)
        .thenApply(
            identity -> {
              producer = identity;
              return new Greeting(version, RecordBatch.NO_SEQUENCE);
            });
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
    ProduceLink fresh = new ProduceLink(frames, events);
    return client
        .lookup()
        .connect(leader, fresh)
        .handle(
            (connection, failure) -> {
              if (failure != null) {
                fresh.close();
                throw new CompletionException(failure);
              }
              return new Resumption(fresh, greeting.lastSequence());
            });
  }
}
