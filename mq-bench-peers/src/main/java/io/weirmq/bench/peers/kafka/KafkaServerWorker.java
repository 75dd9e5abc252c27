package io.weirmq.bench.peers.kafka;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.worker.MainWorker;
import io.weirmq.bench.compare.worker.Outcome;
import io.weirmq.bench.compare.worker.Worker;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One node of Kafka that is broker and controller, in this process; its server is on the class path
 * of the process and on that of nothing else. Settings: {@code port}, {@code controllerPort},
 * {@code folder}.
 */
public final class KafkaServerWorker implements Worker {

  /** Any 16 bytes in Base64; clusters of one node don't meet. */
  private static final String CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA";

  private final Settings settings;
  private @Nullable MainWorker broker;

  /** Made by name. */
  public KafkaServerWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    Path file = Path.of(settings.text("folder"), "server.properties");
    Files.writeString(file, properties(), StandardCharsets.UTF_8);
    format(file);
    Map<String, String> values = new HashMap<>(settings.asMap());
    values.put("main", "kafka.Kafka");
    values.put("argument.0", file.toString());
    broker = new MainWorker(Settings.of(values));
    return broker.prepare();
  }

  private String properties() {
    String port = settings.text("port");
    String controllerPort = settings.text("controllerPort");
    return """
    process.roles=broker,controller
    node.id=1
    listeners=PLAINTEXT://127.0.0.1:%s,CONTROLLER://127.0.0.1:%s
    advertised.listeners=PLAINTEXT://127.0.0.1:%s
    controller.listener.names=CONTROLLER
    controller.quorum.voters=1@127.0.0.1:%s
    listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
    log.dirs=%s
    offsets.topic.replication.factor=1
    """
        .formatted(
            port, controllerPort, port, controllerPort, Path.of(settings.text("folder"), "data"));
  }

  private static void format(Path file) throws ReflectiveOperationException {
    String[] arguments = {"format", "--cluster-id", CLUSTER_ID, "-c", file.toString()};
    Object code =
        Class.forName("kafka.tools.StorageTool")
            .getMethod("execute", String[].class, PrintStream.class)
            .invoke(null, arguments, System.out);
    if (!Integer.valueOf(0).equals(code)) {
      throw new IllegalStateException("Kafka's data folder can't be formatted: exit code " + code);
    }
  }

  @Override
  public Outcome run(Progress progress) {
    throw new IllegalStateException("a broker reports nothing");
  }

  @Override
  public void close() {
    if (broker != null) {
      broker.close();
    }
  }
}
