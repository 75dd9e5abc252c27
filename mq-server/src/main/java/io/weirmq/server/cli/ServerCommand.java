package io.weirmq.server.cli;

import io.weirmq.server.Broker;
import io.weirmq.server.config.BrokerConfig;
import io.weirmq.server.config.ConfigException;
import io.weirmq.server.config.ConfigSources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mq server}: runs a broker until it is told to stop. */
@Command(
    name = "server",
    description = {
      "Start a broker in this process. It stops in good order on SIGTERM or SIGINT.",
      "Configuration: defaults, below --config, below environment (WEIRMQ_NUM_PARTITIONS=3), below --set.",
      "The keys are Kafka's; docs/configuration.md lists them."
    })
final class ServerCommand implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);

  /** Exit code after a thread ended that the broker can't do without. */
  private static final int FATAL_EXIT_CODE = 3;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Properties file.")
  private @Nullable Path file;

  @Option(
      names = {"-s", "--set"},
      paramLabel = "KEY=VALUE",
      description = "A configuration value; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (Broker broker = start()) {
      Thread stop = new Thread(() -> stop(broker), "mq-stop");
      Runtime.getRuntime().addShutdownHook(stop);
      Optional<Throwable> fatal = broker.awaitTermination();
      if (fatal.isPresent()) {
        LOG.error("The broker is down and ends", fatal.get());
        // A supervisor shall see it within seconds, whatever state the broker's threads are in.
        Runtime.getRuntime().halt(FATAL_EXIT_CODE);
      }
      return 0;
    }
  }

  private Broker start() throws IOException {
    ConfigSources sources = new ConfigSources();
    if (file != null) {
      sources.file(file);
    }
    sources.environment(System.getenv());
    overrides.forEach(sources::override);
    try {
      return Broker.builder().config(BrokerConfig.load(sources)).start();
    } catch (ConfigException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  private static void stop(Broker broker) {
    try {
      broker.close();
    } catch (IOException e) {
      LOG.error("The broker did not stop in good order", e);
    }
  }
}
