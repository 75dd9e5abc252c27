package io.weirmq.server.cli;

import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of all commands that talk to a broker. Confined to the main thread. */
final class ClientOptions {

  @Option(
      names = {"-b", "--bootstrap-server"},
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9092",
      description = {
        "Brokers to ask first, comma separated (default: ${DEFAULT-VALUE}).",
        "shm:/FOLDER goes to a broker of this host through shared memory."
      })
  private String bootstrap = "";

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "30000",
      description = "How long one request may take (default: ${DEFAULT-VALUE}).")
  private long timeoutMs;

  /** An open client with the transport under it; closing it closes both. */
  record Session(Transport transport, ClusterClient client) implements AutoCloseable {
    @Override
    public void close() {
      client.close();
      transport.close();
    }
  }

  /** Opens a transport and a client on it. */
  Session open(String command) {
    List<Endpoint> endpoints = ClusterClient.parseBootstrap(bootstrap);
    Transport transport =
        TransportProviders.open(
            endpoints.get(0).scheme(), TransportOptions.defaults().withIoThreads(1, "mq-cli-io"));
    return new Session(
        transport,
        new ClusterClient(transport, endpoints, "mq-" + command, Duration.ofMillis(timeoutMs)));
  }
}
