package io.weirmq.client.kafka;

import io.weirmq.server.Broker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A broker behind a {@link ShmBridge}, which counts what goes through shared memory. */
final class LocalBroker {

  private final Broker broker;
  private final ShmBridge shm;
  private final Path shmFolder;

  private LocalBroker(Broker broker, ShmBridge shm, Path shmFolder) {
    this.broker = broker;
    this.shm = shm;
    this.shmFolder = shmFolder;
  }

  /** Starts a broker at a free port. */
  static LocalBroker start(Path folder) throws Exception {
    return start(folder, 0);
  }

  /** Starts a broker with its data below a folder, which may have some of an earlier one. */
  static LocalBroker start(Path folder, int port) throws Exception {
    Broker broker =
        Broker.builder()
            .set("log.dirs", folder.resolve("data").toString())
            .set("listeners", "PLAINTEXT://127.0.0.1:" + port)
            .set("offsets.topic.num.partitions", "4")
            .set("group.initial.rebalance.delay.ms", "0")
            .set("shm.listener.enable", "false") // the bridge counts what passes
            .start();
    Path shmFolder = shmFolder(folder);
    try {
      return new LocalBroker(broker, ShmBridge.open(shmFolder, broker.boundPort()), shmFolder);
    } catch (IOException e) {
      broker.close();
      throw e;
    }
  }

  /** Where a broker that was started in a folder listens on shared memory. */
  static Path shmFolder(Path folder) {
    return folder.resolve("shm");
  }

  int port() {
    return broker.boundPort();
  }

  ShmBridge shm() {
    return shm;
  }

  /** Properties of a client. */
  Map<String, Object> config(String transport) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", broker.bootstrapServers());
    config.put("transport", transport);
    config.put("shm.folder", shmFolder.toString());
    config.put("enable.metrics.push", "false");
    return config;
  }

  /** Properties of a client, with more of them. */
  Map<String, Object> config(String transport, Map<String, Object> more) {
    Map<String, Object> config = config(transport);
    config.putAll(more);
    return config;
  }

  /** Stops it. */
  void close() throws Exception {
    shm.close();
    broker.close();
  }
}
