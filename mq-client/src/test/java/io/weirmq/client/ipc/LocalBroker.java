package io.weirmq.client.ipc;

import io.weirmq.protocol.ApiKey;
import io.weirmq.protocol.ErrorCode;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.client.Reply;
import io.weirmq.protocol.message.CreateTopicsRequest;
import io.weirmq.protocol.message.CreateTopicsResponse;
import io.weirmq.server.Broker;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.management.ObjectName;

/** A broker that listens on TCP and on shared memory. */
final class LocalBroker implements AutoCloseable {

  private final Broker broker;
  private final Path localFolder;
  private final Endpoint endpoint;

  private LocalBroker(Broker broker, Path localFolder, Endpoint endpoint) {
    this.broker = broker;
    this.localFolder = localFolder;
    this.endpoint = endpoint;
  }

  static LocalBroker start(Path data) throws Exception {
    return start(data, localFolder(), 0, Map.of());
  }

  static Path localFolder() {
    return Path.of("/dev/shm/weirmq-test-" + UUID.randomUUID());
  }

  static LocalBroker start(Path data, LogFileSystem files) throws Exception {
    return start(data, localFolder(), 0, Map.of(), files);
  }

  static LocalBroker start(Path data, Path localFolder, int port, Map<String, String> configs)
      throws Exception {
    return start(data, localFolder, port, configs, new NioLogFileSystem());
  }

  private static LocalBroker start(
      Path data, Path localFolder, int port, Map<String, String> configs, LogFileSystem files)
      throws Exception {
    Broker broker =
        Broker.builder()
            .files(files)
            .set("log.dirs", data.toString())
            .set("listeners", "PLAINTEXT://127.0.0.1:" + port + ",SHM://" + localFolder)
            .set("offsets.topic.num.partitions", "2")
            .set("group.initial.rebalance.delay.ms", "0")
            .set(configs)
            .start();
    return new LocalBroker(broker, localFolder, Endpoint.ofPath("shm", localFolder.toString()));
  }

  Broker broker() {
    return broker;
  }

  int port() {
    return broker.boundPort();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  Path localFolderPath() {
    return localFolder;
  }

  String bootstrapServers() {
    return "127.0.0.1:" + port();
  }

  IpcClient client() {
    return IpcClient.open(IpcClientOptions.of(endpoint));
  }

  /** The number of fetches and direct reads that wait for a record, of the only broker here. */
  static int waitingReads() throws Exception {
    return (int)
        metric(
            "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize"
                + ",delayedOperation=Fetch");
  }

  /** How often the broker had something for a local client and its ring was full. */
  static long ringsFull() throws Exception {
    return (long)
        metric("kafka.server:type=socket-server-metrics,name=ring-full-total,listener=SHM");
  }

  private static Object metric(String name) throws Exception {
    return ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(name), "Value");
  }

  /** A client over TCP, as one on another host. */
  IpcClient remoteClient() {
    return IpcClient.open(
        IpcClientOptions.of(Endpoint.tcp("127.0.0.1", port())).withTransport(TransportMode.TCP));
  }

  void createTopic(String name, Map<String, String> configs) throws IOException {
    createTopic(port(), name, configs);
  }

  static void createTopic(int port, String name, Map<String, String> configs) throws IOException {
    CreateTopicsRequest.CreatableTopic topic =
        new CreateTopicsRequest.CreatableTopic()
            .setName(name)
            .setNumPartitions(1)
            .setReplicationFactor((short) 1);
    configs.forEach(
        (key, value) ->
            topic
                .configs()
                .add(new CreateTopicsRequest.CreatableTopicConfig().setName(key).setValue(value)));
    try (Transport tcp = TransportProviders.open("tcp", TransportOptions.defaults());
        ClusterClient client =
            new ClusterClient(
                tcp, List.of(Endpoint.tcp("127.0.0.1", port)), "test", Duration.ofSeconds(20));
        Reply<CreateTopicsResponse> reply =
            client
                .anyBroker()
                .call(
                    ApiKey.CREATE_TOPICS,
                    new CreateTopicsRequest().setTopics(List.of(topic)).setTimeoutMs(10_000),
                    CreateTopicsResponse.class)) {
      ErrorCode error = ErrorCode.forCode(reply.message().topics().get(0).errorCode());
      if (error != ErrorCode.NONE) {
        throw new IOException("topic " + name + " not made: " + error);
      }
    }
  }

  @Override
  public void close() throws IOException {
    broker.close();
    delete(localFolder);
  }

  /** Removes a listener's folder, with what a killed broker has left in it. */
  static void delete(Path localFolder) throws IOException {
    if (!Files.exists(localFolder)) {
      return;
    }
    try (var left = Files.list(localFolder)) {
      for (Path each : left.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(localFolder);
  }
}
