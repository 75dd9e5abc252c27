package io.weirmq.bench.flush;

import io.weirmq.bench.flush.FlushRound.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code mq bench flush}: rate, latency and forces of appends under each flush policy, for one
 * appender and for many. All combinations run in turns, so that a machine that is busy with other
 * things is it for all of them.
 */
@Command(
    name = "flush",
    mixinStandardHelpOptions = true,
    description = {
      "Append under each flush policy, with few and with many appenders, and count the fsyncs.",
      "MQ_BENCH_DIR names the folder to measure in, which should be on a real disk."
    })
public final class FlushCommand implements Callable<Integer> {

  private static final double NS_PER_US = 1_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--flush-messages",
      split = ",",
      paramLabel = "COUNT",
      defaultValue = "1,100,9223372036854775807",
      description = "Values of flush.messages (default: ${DEFAULT-VALUE}).")
  private List<Long> flushMessages = List.of();

  @Option(
      names = "--appenders",
      split = ",",
      paramLabel = "COUNT",
      defaultValue = "1,64",
      description = "Appenders at the same time (default: ${DEFAULT-VALUE}).")
  private List<Integer> appenders = List.of();

  @Option(
      names = "--batch-bytes",
      split = ",",
      paramLabel = "BYTES",
      defaultValue = "1024,16384",
      description = "Sizes of a batch, which is one record (default: ${DEFAULT-VALUE}).")
  private List<Integer> batchBytes = List.of();

  @Option(
      names = {"-n", "--rounds"},
      defaultValue = "3",
      description = "Rounds of each (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = {"-s", "--seconds"},
      defaultValue = "3",
      description = "Length of a round (default: ${DEFAULT-VALUE}).")
  private int seconds;

  /** Made by the command line. */
  public FlushCommand() {}

  /** What a row of the table is about. */
  record Setting(int batchBytes, long flushMessages, int appenders) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<Setting, List<Outcome>> outcomes = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Setting setting : settings()) {
        Outcome outcome =
            FlushRound.run(
                setting.flushMessages(),
                setting.appenders(),
                setting.batchBytes(),
                Duration.ofSeconds(seconds));
        outcomes.computeIfAbsent(setting, key -> new ArrayList<>()).add(outcome);
      }
    }
    print("median of " + rounds + " rounds (smallest to largest)");
    print("| batch bytes | flush.messages | appenders | appends/s | forces/s | p50 µs | p99 µs |");
    print("|---:|---:|---:|---:|---:|---:|---:|");
    outcomes.forEach((setting, found) -> print(row(setting, found)));
    return 0;
  }

  private List<Setting> settings() {
    List<Setting> settings = new ArrayList<>();
    for (int bytes : batchBytes) {
      for (long messages : flushMessages) {
        for (int count : appenders) {
          settings.add(new Setting(bytes, messages, count));
        }
      }
    }
    return settings;
  }

  /** The row of a setting in the table. */
  static String row(Setting setting, List<Outcome> found) {
    return "| %d | %s | %d | %s | %s | %s | %s |"
        .formatted(
            setting.batchBytes(),
            setting.flushMessages() == Long.MAX_VALUE ? "none" : setting.flushMessages(),
            setting.appenders(),
            spread(found, Outcome::appendsPerSecond),
            spread(found, Outcome::forcesPerSecond),
            spread(found, o -> o.latencyNs().getValueAtPercentile(50) / NS_PER_US),
            spread(found, o -> o.latencyNs().getValueAtPercentile(99) / NS_PER_US));
  }

  private static String spread(List<Outcome> found, ToDoubleFunction<Outcome> figure) {
    double[] sorted = found.stream().mapToDouble(figure).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "%,.0f (%,.0f–%,.0f)",
        sorted[sorted.length / 2],
        sorted[0],
        sorted[sorted.length - 1]);
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
