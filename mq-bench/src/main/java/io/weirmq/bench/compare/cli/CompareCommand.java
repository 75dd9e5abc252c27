package io.weirmq.bench.compare.cli;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.ContestantProvider;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import io.weirmq.bench.host.BenchFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mq bench compare}: the broker's parts beside those of others. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description = {
      "Run contestants in turns (A B, B A ...) on this machine, each in JVMs of its own, and write ratios pair"
          + " by pair with their spread, as JSON, Markdown and charts.",
      "A contestant that fails is reported, and the run goes on. Ctrl-C ends all processes and removes"
          + " their files."
    })
public final class CompareCommand implements Callable<Integer> {

  /** Whether the output is a terminal, which Java 17 can't tell; the launcher sets it. */
  private static final String TERMINAL_PROPERTY = "weirmq.compare.terminal";

  private static final long QUICK_WARMUP_MS = 200;
  private static final long QUICK_MEASURED_MS = 300;
  private static final long MS_PER_SECOND = 1_000;
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--suite",
      defaultValue = "ipc",
      description = "Suite to run (default: ${DEFAULT-VALUE}).")
  private String suiteName = "ipc";

  @Option(
      names = {"-n", "--pairs"},
      description = "Rounds; in each every contestant has a turn (default: 5, with --quick 1).")
  private @Nullable Integer pairs;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "ID",
      description = "Only these scenarios or contestants, see --list.")
  private List<String> only = List.of();

  @Option(
      names = "--against",
      split = ",",
      paramLabel = "ID",
      description = "Set our own only against these contestants; baselines of ours among them.")
  private List<String> against = List.of();

  @Option(
      names = "--quick",
      description = "Does everything work? One round of moments; the figures tell nothing.")
  private boolean quick;

  @Option(
      names = "--list",
      description = "Print suites, scenarios and contestants, and run nothing.")
  private boolean list;

  @Option(
      names = "--pin",
      split = ",",
      paramLabel = "CPU",
      description =
          "Processors, one for each process in the order in which they start, as taskset -c takes them.")
  private List<String> pins = List.of();

  @Option(
      names = "--warmup-s",
      defaultValue = "3",
      description = "Seconds of a turn that don't count (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = {"-s", "--seconds"},
      defaultValue = "5",
      description = "Seconds of a turn that count (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FOLDER",
      description = "Where the report goes (default: bench-results/SUITE).")
  private @Nullable Path output;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description =
          "Where durable contestants keep their data (default: MQ_BENCH_DIR or the temporary folder).")
  private @Nullable Path dataFolder;

  /** Made by the command line. */
  public CompareCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Suite suite = suite();
    List<Contestant> contestants = contestants();
    if (list) {
      list(contestants);
      return 0;
    }
    if (!pins.isEmpty() && !hasTaskset()) {
      throw new ParameterException(spec.commandLine(), "--pin needs taskset, which is not there");
    }
    CompareRun.Request request =
        new CompareRun.Request(
            commandLine(),
            suite,
            contestants,
            new HashSet<>(only),
            new HashSet<>(against),
            pairs != null ? pairs : quick ? 1 : 5,
            quick ? QUICK_WARMUP_MS : warmupSeconds * MS_PER_SECOND,
            quick ? QUICK_MEASURED_MS : seconds * MS_PER_SECOND,
            pins,
            dataFolder(),
            Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : dataFolder(),
            output != null ? output : Path.of("bench-results", suite.name()),
            quick);
    try {
      return CompareRun.run(
          request, out(), Boolean.getBoolean(TERMINAL_PROPERTY), InstantSource.system());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** What was typed, from the name of the program on. */
  private String commandLine() {
    CommandLine program = spec.root().commandLine();
    List<String> words = new ArrayList<>(List.of(program.getCommandName()));
    words.addAll(program.getParseResult().originalArgs());
    return String.join(" ", words);
  }

  private Path dataFolder() {
    return dataFolder != null ? dataFolder : BenchFolder.parent();
  }

  private Suite suite() {
    List<String> names = new ArrayList<>();
    for (Suite suite : ServiceLoader.load(Suite.class)) {
      if (suite.name().equals(suiteName)) {
        return suite;
      }
      names.add(suite.name());
    }
    throw new ParameterException(
        spec.commandLine(),
        names.isEmpty()
            ? "no suite is on the class path; the launcher puts them there: ./mq bench compare"
            : "suite '%s' is unknown; there are %s".formatted(suiteName, names));
  }

  private static List<Contestant> contestants() {
    List<Contestant> all = new ArrayList<>();
    for (ContestantProvider provider : ServiceLoader.load(ContestantProvider.class)) {
      all.addAll(provider.contestants());
    }
    return all;
  }

  private void list(List<Contestant> contestants) {
    PrintWriter out = out();
    for (Suite suite : ServiceLoader.load(Suite.class)) {
      out.printf("suite %s: %s%n", suite.name(), suite.description());
      for (Scenario scenario : suite.scenarios()) {
        out.printf("%n  %-28s %s%n", scenario.id(), scenario.title());
        for (Contestant contestant : contestants) {
          if (contestant.takesPartIn(scenario)) {
            out.printf(
                "    %-26s %s; %s%n", contestant.id(), contestant.title(), contestant.promise());
          }
        }
      }
    }
    out.flush();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private static boolean hasTaskset() {
    for (String folder : System.getenv("PATH").split(":")) {
      if (Files.isExecutable(Path.of(folder, "taskset"))) {
        return true;
      }
    }
    return false;
  }
}
