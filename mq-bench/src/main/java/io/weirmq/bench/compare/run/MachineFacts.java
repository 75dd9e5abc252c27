package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.report.Report.Fact;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is to be known of the machine and of what runs there, as {@code /proc} and {@code /sys} of
 * Linux tell it. Immutable.
 */
public final class MachineFacts {

  private static final String UNKNOWN = "unknown";

  private final Path root;
  private final InstantSource clock;
  private final BuildFacts build;

  /**
   * Reads below a root.
   *
   * @param root {@code /}, or a copy of what lies there
   * @param build what is compared with others
   */
  public MachineFacts(Path root, InstantSource clock, BuildFacts build) {
    this.root = root;
    this.clock = clock;
    this.build = build;
  }

  /**
   * What changes during a run.
   *
   * @param at when it was taken
   * @param load load averages of 1, 5 and 15 minutes
   */
  public record Snapshot(Instant at, String load) {}

  /** Takes what changes during a run. */
  public Snapshot snapshot() {
    return new Snapshot(clock.instant().truncatedTo(ChronoUnit.SECONDS), load());
  }

  /** The facts of a run, in the order to be shown. */
  public List<Fact> facts(Snapshot before, Snapshot after, ComparisonPlan plan) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("command", "`" + plan.command() + "`"));
    facts.add(new Fact("WeirMQ", build.version() + ", commit " + build.commit()));
    facts.add(new Fact("begun, ended", before.at() + ", " + after.at()));
    facts.add(
        new Fact("load average before, after (1, 5, 15 min)", before.load() + "; " + after.load()));
    facts.add(new Fact("processor", processor()));
    facts.add(
        new Fact(
            "cores of this run", Integer.toString(Runtime.getRuntime().availableProcessors())));
    facts.add(
        new Fact(
            "frequency governor",
            firstLine("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")));
    facts.add(new Fact("memory", memory()));
    facts.add(
        new Fact("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version")));
    facts.add(
        new Fact(
            "Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version")));
    facts.add(
        new Fact(
            "pinned to processors",
            plan.pins().isEmpty()
                ? "no"
                : String.join(" / ", plan.pins()) + ", in the order in which processes start"));
    facts.add(new Fact("file system of durable data", fileSystem(plan.dataFolder())));
    facts.add(new Fact("file system of shared memory", fileSystem(plan.memoryFolder())));
    facts.add(
        new Fact(
            "time base",
            "System.nanoTime (CLOCK_MONOTONIC), checked by an exchange with each process"));
    return facts;
  }

  private String load() {
    String[] words = firstLine("proc/loadavg").split(" ");
    return words.length < 3 ? UNKNOWN : words[0] + " " + words[1] + " " + words[2];
  }

  private String processor() {
    return valueOf("proc/cpuinfo", "model name");
  }

  private String memory() {
    return valueOf("proc/meminfo", "MemTotal");
  }

  private static String fileSystem(Path folder) {
    try {
      return Files.getFileStore(folder).type();
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private String valueOf(String file, String name) {
    try (Stream<String> lines = Files.lines(root.resolve(file))) {
      return lines
          .filter(line -> line.startsWith(name) && line.contains(":"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private String firstLine(String file) {
    try (Stream<String> lines = Files.lines(root.resolve(file))) {
      return lines.findFirst().orElse(UNKNOWN).strip();
    } catch (IOException e) {
      return UNKNOWN;
    }
  }
}
