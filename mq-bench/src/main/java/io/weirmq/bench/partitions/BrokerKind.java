package io.weirmq.bench.partitions;

import io.weirmq.bench.host.JavaCommand;
import io.weirmq.bench.host.Ports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How a broker is started; its data lies in {@code data} below a folder of its own. */
sealed interface BrokerKind {

  /** For reports. */
  String title();

  /**
   * Prepares an empty folder and returns the command line that runs the broker in it.
   *
   * @param port where it listens, on the loopback address
   * @throws IOException where the folder can't be prepared
   */
  List<String> prepare(Path home, int port) throws IOException;

  /**
   * WeirMQ, with this JVM's class path.
   *
   * @param jvmFlags flags of its JVM
   */
  record WeirMq(List<String> jvmFlags) implements BrokerKind {

    @Override
    public String title() {
      return "WeirMQ";
    }

    @Override
    public List<String> prepare(Path home, int port) {
      return JavaCommand.ofBroker(jvmFlags, port, home.resolve("data"));
    }
  }

  /**
   * One node of Kafka that is broker and controller.
   *
   * @param jvmFlags flags of its JVM
   * @param classPath class path of its server
   */
  record Kafka(List<String> jvmFlags, String classPath) implements BrokerKind {

    /** Any 16 bytes in Base64; clusters of one node don't meet. */
    private static final String CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA";

    private static final long FORMAT_SECONDS = 60;

    @Override
    public String title() {
      return "Kafka";
    }

    @Override
    public List<String> prepare(Path home, int port) throws IOException {
      int controllerPort = Ports.free();
      String properties =
          """
          process.roles=broker,controller
          node.id=1
          listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
          advertised.listeners=PLAINTEXT://127.0.0.1:%d
          controller.listener.names=CONTROLLER
          controller.quorum.voters=1@127.0.0.1:%d
          listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
          log.dirs=%s
          offsets.topic.replication.factor=1
          """
              .formatted(port, controllerPort, port, controllerPort, home.resolve("data"));
      Path file = home.resolve("server.properties");
      Files.writeString(file, properties, StandardCharsets.UTF_8);
      format(home, file);
      return JavaCommand.of(jvmFlags, classPath, "kafka.Kafka", List.of(file.toString()));
    }

    private void format(Path home, Path properties) throws IOException {
      Process process =
          new ProcessBuilder(
                  JavaCommand.of(
                      List.of(),
                      classPath,
                      "kafka.tools.StorageTool",
                      List.of("format", "--cluster-id", CLUSTER_ID, "-c", properties.toString())))
              .redirectErrorStream(true)
              .redirectOutput(home.resolve("format.log").toFile())
              .start();
      if (!MeasuredBroker.awaitEnd(process, FORMAT_SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(
            "data folder of Kafka can't be formatted:\n"
                + Files.readString(home.resolve("format.log")));
      }
    }
  }
}
