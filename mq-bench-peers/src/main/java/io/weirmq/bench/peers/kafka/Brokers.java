package io.weirmq.bench.peers.kafka;

import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.compare.worker.MainWorker;
import io.weirmq.bench.host.Ports;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Brokers in processes of their own: the flags of their launchers, with a heap of one size.
 * Stateless.
 */
public final class Brokers {

  /** Names the file that holds the class path of Kafka's server; the launcher sets it. */
  static final String KAFKA_CLASS_PATH_PROPERTY = "weirmq.compare.kafka.classpath";

  private static final List<String> WEIRMQ_FLAGS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:+UseParallelGC",
          "-Dlogback.configurationFile=weirmq-logback.xml");

  private static final List<String> KAFKA_FLAGS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=20",
          "-XX:InitiatingHeapOccupancyPercent=35");

  private Brokers() {}

  /**
   * A broker of ours that listens on a free port.
   *
   * @param more further settings, in which PORT stands for the port; they replace the ones of the
   *     same key
   */
  public static ProcessPlan weirMq(TurnFolders folders, Map<String, String> more)
      throws IOException {
    int port = Ports.free();
    Map<String, String> configuration =
        new TreeMap<>(
            Map.of(
                "listeners",
                "PLAINTEXT://127.0.0.1:" + port,
                "log.dirs",
                folders.data().resolve("weirmq").toString()));
    configuration.putAll(more);
    Map<String, String> settings = new HashMap<>();
    settings.put("main", "io.weirmq.server.cli.Main");
    settings.put("port", Integer.toString(port));
    settings.put("argument.0", "server");
    int next = 1;
    for (Map.Entry<String, String> entry : configuration.entrySet()) {
      settings.put("argument." + next++, "--set");
      settings.put(
          "argument." + next++, entry.getKey() + "=" + entry.getValue().replace("PORT", "" + port));
    }
    return ProcessPlan.helping("broker", MainWorker.class.getName(), WEIRMQ_FLAGS, settings);
  }

  /**
   * A broker of ours that listens on a free port and in shared memory.
   *
   * @param shmFolder where it listens
   * @param more further settings
   */
  public static ProcessPlan weirMqLocal(
      TurnFolders folders, Path shmFolder, Map<String, String> more) throws IOException {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("listeners", "PLAINTEXT://127.0.0.1:PORT,SHM://" + shmFolder);
    return weirMq(folders, settings);
  }

  /**
   * A node of Kafka.
   *
   * @throws IOException where the class path of its server is not known
   */
  public static ProcessPlan kafka(TurnFolders folders) throws IOException {
    return new ProcessPlan(
        "broker",
        KafkaServerWorker.class.getName(),
        false,
        KAFKA_FLAGS,
        kafkaClassPath() + File.pathSeparator + ownHome(),
        Map.of(
            "port", Integer.toString(Ports.free()),
            "controllerPort", Integer.toString(Ports.free()),
            "folder", folders.data().toString()));
  }

  private static String kafkaClassPath() throws IOException {
    Optional<Path> file =
        Optional.ofNullable(System.getProperty(KAFKA_CLASS_PATH_PROPERTY)).map(Path::of);
    if (file.isEmpty() || !Files.isReadable(file.get())) {
      throw new IOException(
          "the class path of Kafka's server is not there (%s, property %s); compat/setup resolves it"
              .formatted(
                  file.map(Path::toString).orElse("no file named"), KAFKA_CLASS_PATH_PROPERTY));
    }
    return Files.readString(file.get()).strip();
  }

  private static Path ownHome() {
    try {
      return Path.of(Brokers.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the location of this module is no path", e);
    }
  }
}
