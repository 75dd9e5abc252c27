package io.weirmq.examples;

import io.weirmq.client.ipc.IpcClient;
import io.weirmq.client.ipc.IpcClientOptions;
import io.weirmq.client.ipc.IpcPublisher;
import io.weirmq.client.ipc.IpcSubscriber;
import io.weirmq.client.ipc.PublisherOptions;
import io.weirmq.client.ipc.RecordClaim;
import io.weirmq.client.ipc.StartPosition;
import io.weirmq.client.ipc.SubscriberOptions;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.server.Broker;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes prices to a topic and reads them back with the IPC clients. Any Kafka client sees the
 * same records: {@code kafka-console-consumer --bootstrap-server <address> --topic prices
 * --from-beginning}.
 */
public final class IpcExample {

  private static final int PRICES = 5;

  private IpcExample() {}

  /** Runs a broker, a publisher and a subscriber, and prints what has come. */
  public static void main(String[] args) throws Exception {
    try (Broker broker =
        Broker.builder()
            .set("listeners", "PLAINTEXT://127.0.0.1:0")
            .set("log.dirs", Files.createTempDirectory("weirmq example").toString())
            .start()) {
      exchange(broker.boundPort()).forEach(System.out::println);
    }
  }

  /** Runs against the broker at a port of this machine. */
  static List<String> exchange(int port) throws Exception {
    Endpoint endpoint = Endpoint.tcp("127.0.0.1", port);
    createTopic(endpoint);
    List<String> prices = new ArrayList<>();
    // The port is the broker's name: where it publishes a local endpoint, that is taken.
    try (IpcClient client = IpcClient.open(IpcClientOptions.of(endpoint));
        IpcPublisher publisher = client.publisher("prices", 0, PublisherOptions.defaults());
        IpcSubscriber subscriber =
            client.subscriber(
                "prices", 0, StartPosition.earliest(), SubscriberOptions.defaults())) {
      RecordClaim claim = new RecordClaim();
      for (int i = 0; i < PRICES; i++) {
        long token = publisher.tryClaim(Integer.BYTES, Double.BYTES, claim);
        if (token < 0) {
          throw new IllegalStateException("five records always find room, got " + token);
        }
        claim.buffer().putInt(claim.keyPosition(), i);
        claim.buffer().putDouble(claim.valuePosition(), 100 + i / 4.0);
        claim.commit();
      }
      while (prices.size() < PRICES) {
        subscriber.poll(
            record ->
                prices.add(
                    "offset %d: instrument %d costs %s"
                        .formatted(
                            record.offset(),
                            record.buffer().getInt(record.keyPosition()),
                            record.buffer().getDouble(record.valuePosition()))),
            PRICES,
            Duration.ofSeconds(10));
      }
    }
    return prices;
  }

  private static void createTopic(Endpoint broker) throws Exception {
    try (Transport transport = TransportProviders.open("tcp", TransportOptions.defaults());
        ClusterClient cluster =
            new ClusterClient(transport, List.of(broker), "example", Duration.ofSeconds(10))) {
      cluster.topic("prices", true);
    }
  }
}
