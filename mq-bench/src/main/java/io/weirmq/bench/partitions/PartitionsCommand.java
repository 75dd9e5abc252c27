package io.weirmq.bench.partitions;

import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mq bench partitions}: what partitions and segments cost at rest. */
@Command(
    name = "partitions",
    mixinStandardHelpOptions = true,
    description = {
      "Make partitions with segments, restart the broker, and print times, open files, mappings, threads"
          + " and memory.",
      "The broker runs in a process of its own with a limit of open files; its data is removed at the"
          + " end. MQ_BENCH_DIR names the folder to measure in."
    })
public final class PartitionsCommand implements Callable<Integer> {

  /** What a broker may take to come up. */
  private static final long START_SECONDS_MAX = 1_200;

  private static final long PROBE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final double NS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-p", "--partitions"},
      defaultValue = "10000",
      description = "Partitions (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = {"-s", "--segments"},
      defaultValue = "10",
      description = "Segments of each partition, 0 for empty ones (default: ${DEFAULT-VALUE}).")
  private int segments;

  @Option(
      names = "--topic-partitions",
      defaultValue = "5000",
      description = "Partitions of a topic, made in one request (default: ${DEFAULT-VALUE}).")
  private int topicPartitions;

  @Option(
      names = "--open-files",
      defaultValue = "1024",
      description = "ulimit -n of the broker (default: ${DEFAULT-VALUE}).")
  private int openFilesMax;

  @Option(
      names = "--jvm-flags",
      split = " ",
      description = "Flags of the broker's JVM; what its launcher gives it by default.")
  private List<String> jvmFlags = List.of();

  @Option(
      names = "--kafka-class-path",
      paramLabel = "FILE",
      description = "Measure Kafka instead; the file holds the class path of its server.")
  private @Nullable Path kafkaClassPath;

  @Option(
      names = "--classes",
      description = "Print the classes whose objects take most of the heap after the restart.")
  private boolean classes;

  /** Made by the command line. */
  public PartitionsCommand() {}

  @Override
  public Integer call() throws IOException {
    BrokerKind kind = kind();
    print(
        "%s: %d partitions x %d segments, ulimit -n %d, flags %s",
        kind.title(), partitions, segments, openFilesMax, flags(kind));
    try (MeasuredBroker broker = MeasuredBroker.prepare(kind, openFilesMax);
        Transport transport =
            TransportProviders.open(
                "tcp", TransportOptions.defaults().withIoThreads(1, "mq-bench-io"))) {
      try {
        run(broker, transport);
        return 0;
      } catch (IOException e) {
        print("FAILED: %s; the process %s", e, broker.isAlive() ? "runs" : "has ended");
        print("its last output:%n%s", broker.lastOutput());
        return 1;
      }
    }
  }

  private BrokerKind kind() throws IOException {
    if (kafkaClassPath == null) {
      return new BrokerKind.WeirMq(
          jvmFlags.isEmpty() ? List.of("-Xms128m", "-Xmx1g", "-XX:+UseParallelGC") : jvmFlags);
    }
    return new BrokerKind.Kafka(
        jvmFlags.isEmpty()
            ? List.of(
                "-Xms1g",
                "-Xmx1g",
                "-XX:+UseG1GC",
                "-XX:MaxGCPauseMillis=20",
                "-XX:InitiatingHeapOccupancyPercent=35")
            : jvmFlags,
        Files.readString(kafkaClassPath).strip());
  }

  private static List<String> flags(BrokerKind kind) {
    return kind instanceof BrokerKind.WeirMq weirMq
        ? weirMq.jvmFlags()
        : ((BrokerKind.Kafka) kind).jvmFlags();
  }

  private void run(MeasuredBroker broker, Transport transport) throws IOException {
    long begun = System.nanoTime();
    broker.start();
    awaitAnswer(broker, transport, begun);
    print("start, empty: %.2f s; %s", secondsSince(begun), Footprint.of(broker.pid()));
    try (PartitionLoad load = new PartitionLoad(transport, broker.bootstrap())) {
      create(load);
      print("after creation: %s", Footprint.of(broker.pid()));
      fill(load);
      print("after filling: %s", Footprint.of(broker.pid()));
    }
    begun = System.nanoTime();
    broker.stop();
    print("stop: %.2f s", secondsSince(begun));

    begun = System.nanoTime();
    broker.start();
    awaitAnswer(broker, transport, begun);
    print("restart to first Metadata: %.2f s", secondsSince(begun));
    try (PartitionLoad load = new PartitionLoad(transport, broker.bootstrap())) {
      checkEnds(load);
      print("restart to ListOffsets of all partitions: %.2f s", secondsSince(begun));
      print("after restart: %s", Footprint.of(broker.pid()));
    }
    LiveHeap heap = LiveHeap.of(broker.pid());
    print(
        "live objects after restart: %d bytes, %d per partition",
        heap.bytes(), heap.bytes() / Math.max(1, partitions));
    if (classes) {
      heap.largest().forEach(line -> print("%s", line));
    }
    begun = System.nanoTime();
    broker.stop();
    print("stop, nothing written: %.2f s", secondsSince(begun));

    begun = System.nanoTime();
    broker.start();
    awaitAnswer(broker, transport, begun);
    try (PartitionLoad load = new PartitionLoad(transport, broker.bootstrap())) {
      checkEnds(load);
    }
    print("second restart to ListOffsets of all partitions: %.2f s", secondsSince(begun));
    broker.stop();
  }

  private void create(PartitionLoad load) throws IOException {
    long begun = System.nanoTime();
    double longest = 0;
    for (Topic topic : topics()) {
      long request = System.nanoTime();
      load.create(topic.name, topic.partitions);
      longest = Math.max(longest, secondsSince(request));
    }
    print(
        "create: %.2f s for all, longest request %.2f s (%d partitions each)",
        secondsSince(begun), longest, Math.min(partitions, topicPartitions));
  }

  private void fill(PartitionLoad load) throws IOException {
    long begun = System.nanoTime();
    long nowMs = InstantSource.system().millis();
    for (int round = 0; round < segments; round++) {
      for (Topic topic : topics()) {
        load.appendToAll(topic.name, topic.partitions, round, segments, nowMs);
      }
    }
    print("fill: %.2f s for %d segments", secondsSince(begun), (long) partitions * segments);
  }

  private void checkEnds(PartitionLoad load) throws IOException {
    for (Topic topic : topics()) {
      var ends = load.awaitLogEnds(topic.name, topic.partitions);
      long wrong = ends.values().stream().filter(end -> end != segments).count();
      if (ends.size() != topic.partitions || wrong > 0) {
        throw new IOException(
            "%s: %d of %d partitions answer, %d of them with a log end other than %d"
                .formatted(topic.name, ends.size(), topic.partitions, wrong, segments));
      }
    }
  }

  private List<Topic> topics() {
    List<Topic> topics = new ArrayList<>();
    for (int first = 0; first < partitions; first += topicPartitions) {
      topics.add(
          new Topic("bench-" + topics.size(), Math.min(topicPartitions, partitions - first)));
    }
    return topics;
  }

  private record Topic(String name, int partitions) {}

  private static void awaitAnswer(MeasuredBroker broker, Transport transport, long begunNs)
      throws IOException {
    IOException last = new IOException("never asked");
    while (secondsSince(begunNs) < START_SECONDS_MAX) {
      if (!broker.isAlive()) {
        throw new IOException("the broker ended while it started", last);
      }
      try (PartitionLoad load = new PartitionLoad(transport, broker.bootstrap())) {
        load.ping();
        return;
      } catch (IOException e) {
        last = e;
      }
      LockSupport.parkNanos(PROBE_INTERVAL_NS);
    }
    throw new IOException("the broker did not answer in %d s".formatted(START_SECONDS_MAX), last);
  }

  private static double secondsSince(long begunNs) {
    return (System.nanoTime() - begunNs) / NS_PER_SECOND;
  }

  private void print(String format, Object... arguments) {
    spec.commandLine().getOut().println(String.format(Locale.ROOT, format, arguments));
    spec.commandLine().getOut().flush();
  }
}
