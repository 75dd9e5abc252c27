package io.weirmq.bench;

import io.weirmq.bench.compaction.CompactionCommand;
import io.weirmq.bench.compare.cli.CompareCommand;
import io.weirmq.bench.flush.FlushCommand;
import io.weirmq.bench.host.BrokerProcess;
import io.weirmq.bench.host.ProcessUsage;
import io.weirmq.bench.load.BenchReport;
import io.weirmq.bench.load.LoadProfile;
import io.weirmq.bench.load.OpenLoopProducer;
import io.weirmq.bench.micro.MicroCommand;
import io.weirmq.bench.partitions.PartitionsCommand;
import io.weirmq.bench.restart.RestartCommand;
import io.weirmq.protocol.client.ClusterClient;
import io.weirmq.protocol.message.MetadataResponse;
import io.weirmq.storage.CompressionType;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mq bench}: an open-loop load on one partition. */
@Command(
    name = "bench",
    subcommands = {
      CompactionCommand.class,
      CompareCommand.class,
      FlushCommand.class,
      MicroCommand.class,
      PartitionsCommand.class,
      RestartCommand.class
    },
    mixinStandardHelpOptions = true,
    description = {
      "Send records at a fixed rate and print throughput, latency from the intended send time, and what"
          + " the broker spent.",
      "Without --bootstrap-server it starts a broker of its own in a second process."
    })
final class BenchCommand implements Callable<Integer> {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-b", "--bootstrap-server"},
      paramLabel = "HOST:PORT",
      description = "A broker that runs already.")
  private @Nullable String bootstrap;

  @Option(
      names = "--broker-pid",
      paramLabel = "PID",
      description = "Process of that broker, to measure its CPU time and memory.")
  private @Nullable Long brokerPid;

  @Option(
      names = "--broker-jvm-flags",
      split = " ",
      defaultValue = "-Xms128m -Xmx1g -XX:+UseParallelGC",
      description = "Flags of the broker that is started (default: ${DEFAULT-VALUE}).")
  private List<String> brokerJvmFlags = List.of();

  @Option(
      names = {"-t", "--topic"},
      defaultValue = "bench",
      description = "Topic (default: ${DEFAULT-VALUE}).")
  private String topic = "bench";

  @Option(
      names = {"-r", "--rate"},
      paramLabel = "PER_SECOND",
      defaultValue = "100000",
      description = "Records per second (default: ${DEFAULT-VALUE}).")
  private long rate;

  @Option(
      names = "--record-bytes",
      defaultValue = "100",
      description = "Size of a value (default: ${DEFAULT-VALUE}).")
  private int recordBytes;

  @Option(
      names = "--batch-bytes",
      defaultValue = "16384",
      description = "Size of a batch (default: ${DEFAULT-VALUE}).")
  private int batchBytes;

  @Option(
      names = "--linger-us",
      defaultValue = "1000",
      description = "Age at which a batch is sent (default: ${DEFAULT-VALUE}).")
  private long lingerUs;

  @Option(
      names = "--acks",
      defaultValue = "1",
      description = "1 or -1 (default: ${DEFAULT-VALUE}).")
  private short acks;

  @Option(
      names = {"-z", "--compression"},
      defaultValue = "none",
      description = "Codec (default: ${DEFAULT-VALUE}).")
  private CompressionType compression = CompressionType.NONE;

  @Option(
      names = "--warmup-s",
      defaultValue = "5",
      description = "Seconds that don't count (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = {"-s", "--seconds"},
      defaultValue = "10",
      description = "Seconds that count (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (bootstrap != null) {
      print(measure(bootstrap, brokerPid == null ? -1 : brokerPid));
      return 0;
    }
    try (BrokerProcess broker = BrokerProcess.start(brokerJvmFlags)) {
      print(measure(broker.bootstrap(), broker.pid()));
      return 0;
    }
  }

  private BenchReport measure(String servers, long pid) throws IOException {
    LoadProfile profile =
        new LoadProfile(
            topic,
            rate,
            recordBytes,
            batchBytes,
            TimeUnit.MICROSECONDS.toNanos(lingerUs),
            acks,
            compression,
            warmupSeconds,
            seconds);
    List<Endpoint> endpoints = ClusterClient.parseBootstrap(servers);
    try (Transport transport =
            TransportProviders.open(
                endpoints.get(0).scheme(),
                TransportOptions.defaults().withIoThreads(1, "mq-bench-io"));
        ClusterClient client = new ClusterClient(transport, endpoints, "mq-bench", TIMEOUT)) {
      MetadataResponse.MetadataResponseTopic metadata = client.topic(topic, true);
      OpenLoopProducer producer =
          new OpenLoopProducer(
              client.leader(topic, 0).channel(),
              metadata,
              profile,
              System::nanoTime,
              InstantSource.system(),
              RandomGenerator.of("L64X128MixRandom"));
      return run(producer, profile, pid);
    }
  }

  private static BenchReport run(OpenLoopProducer producer, LoadProfile profile, long pid)
      throws IOException {
    if (profile.warmupSeconds() > 0) {
      producer.run(profile.warmupSeconds());
      producer.forgetLatencies();
    }
    double cpuBefore = pid < 0 ? 0 : ProcessUsage.of(pid).cpuSeconds();
    long failedBefore = producer.failed();
    double took = producer.run(profile.seconds());
    Histogram latency = producer.latencies();
    double cpu = -1;
    long resident = -1;
    if (pid >= 0) {
      ProcessUsage usage = ProcessUsage.of(pid);
      cpu = usage.cpuSeconds() - cpuBefore;
      resident = usage.residentBytes();
    }
    return new BenchReport(
        profile.recordsPerSecond(),
        latency.getTotalCount(),
        took,
        producer.failed() - failedBefore,
        latency,
        cpu,
        resident);
  }

  private void print(BenchReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(report.toJson());
    } else {
      out.print(report.toText());
    }
    out.flush();
  }
}
