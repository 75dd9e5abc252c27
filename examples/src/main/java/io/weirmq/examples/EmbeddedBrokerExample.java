package io.weirmq.examples;

import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.server.Broker;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs a broker inside a program, asks it for its metadata, and stops it. */
public final class EmbeddedBrokerExample {

  private EmbeddedBrokerExample() {}

  /** Starts, asks, prints, stops. */
  public static void main(String[] args) throws Exception {
    System.out.println(describe(Files.createTempDirectory("weirmq example")));
  }

  /** Runs a broker over a data folder and returns a line about a topic that it makes by itself. */
  static String describe(Path dataFolder) throws Exception {
    try (Broker broker =
            Broker.builder()
                .set("listeners", "PLAINTEXT://127.0.0.1:0")
                .set("log.dirs", dataFolder.toString())
                .set("num.partitions", "3")
                .start();
        Transport transport = TransportProviders.open("tcp", TransportOptions.defaults());
        ClusterClient client =
            new ClusterClient(
                transport,
                ClusterClient.parseBootstrap(broker.bootstrapServers()),
                "example",
                Duration.ofSeconds(10))) {
      MetadataResponse.MetadataResponseTopic topic = client.topic("greetings", true);
      List<Integer> partitions =
          topic.partitions().stream().map(p -> p.partitionIndex()).sorted().toList();
      return "topic %s has the partitions %s".formatted(topic.name(), partitions);
    }
  }
}
