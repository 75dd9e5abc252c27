package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.compare.report.ContestantFacts;
import io.weirmq.bench.compare.report.Measurement;
import io.weirmq.bench.compare.report.Report;
import io.weirmq.bench.compare.report.TurnResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs the turns of a suite. Confined to one thread. */
public final class Comparison {

  /** A contestant that fails so often in a scenario gets no further turn in it. */
  static final int FAILED_TURNS_MAX = 2;

  private final ComparisonPlan plan;
  private final CleanUp cleanUp;
  private final Observer observer;
  private final List<TurnResult> results = new ArrayList<>();
  private final Map<String, List<String>> jvmFlags = new HashMap<>();

  /** Watches a comparison. */
  public interface Observer {

    /** A turn begins, the n-th of so many. */
    void turn(int number, int count, Scenario scenario, Contestant contestant, int round);

    /** The turn has come to a step. */
    void step(String step);

    /** The turn is over. */
    void done(TurnResult result);
  }

  /** Makes a comparison that is to be run once. */
  public Comparison(ComparisonPlan plan, CleanUp cleanUp, Observer observer) {
    this.plan = plan;
    this.cleanUp = cleanUp;
    this.observer = observer;
  }

  /**
   * Runs all turns.
   *
   * @param machine asked before and after the run, for the report
   * @throws IOException where folders can't be made or removed, or a process can't be ended
   * @throws InterruptedException where the thread was interrupted; processes are ended then
   */
  public Report run(
      Suite suite, List<Contestant> contestants, Selection selection, MachineFacts machine)
      throws IOException, InterruptedException {
    List<Scenario> scenarios = selection.scenarios(suite, contestants);
    int count =
        scenarios.stream().mapToInt(s -> selection.contestants(s, contestants).size()).sum()
            * plan.pairs();
    MachineFacts.Snapshot before = machine.snapshot();
    int number = 0;
    for (Scenario scenario : scenarios) {
      List<Contestant> taking = selection.contestants(scenario, contestants);
      Map<String, Integer> failed = new HashMap<>();
      for (int round = 1; round <= plan.pairs(); round++) {
        for (Contestant contestant : inOrder(taking, round)) {
          number++;
          if (failed.getOrDefault(contestant.id(), 0) < FAILED_TURNS_MAX) {
            observer.turn(number, count, scenario, contestant, round);
            TurnResult result = turn(scenario, contestant, round);
            results.add(result);
            observer.done(result);
            if (result.measurement() == null) {
              failed.merge(contestant.id(), 1, Integer::sum);
            }
          }
        }
      }
    }
    return new Report(
        Report.FORMAT,
        suite.name(),
        suite.description(),
        plan.pairs(),
        plan.warmupMs(),
        plan.measuredMs(),
        machine.facts(before, machine.snapshot(), plan),
        scenarios,
        facts(contestants),
        results);
  }

  /** Each round begins with another one: A B C, B C A, C A B. */
  private static List<Contestant> inOrder(List<Contestant> taking, int round) {
    List<Contestant> order = new ArrayList<>(taking);
    Collections.rotate(order, 1 - round);
    return order;
  }

  private List<ContestantFacts> facts(List<Contestant> contestants) {
    return contestants.stream()
        .filter(c -> results.stream().anyMatch(result -> result.contestant().equals(c.id())))
        .map(c -> ContestantFacts.of(c, jvmFlags.getOrDefault(c.id(), List.of())))
        .toList();
  }

  private TurnResult turn(Scenario scenario, Contestant contestant, int round)
      throws IOException, InterruptedException {
    Path data = cleanUp.folder(plan.dataFolder());
    Path memory = cleanUp.folder(plan.memoryFolder());
    try {
      Measurement measurement = measure(scenario, contestant, new TurnFolders(data, memory));
      return new TurnResult(scenario.id(), contestant.id(), round, measurement, null);
    } catch (TurnFailedException | IOException | RuntimeException e) {
      String reason = e instanceof TurnFailedException ? e.getMessage() : e.toString();
      return new TurnResult(scenario.id(), contestant.id(), round, null, String.valueOf(reason));
    } finally {
      cleanUp.remove(data);
      cleanUp.remove(memory);
    }
  }

  private Measurement measure(Scenario scenario, Contestant contestant, TurnFolders folders)
      throws TurnFailedException, IOException, InterruptedException {
    try (Turn turn =
        new Turn(
            scenario,
            scenario.workload(plan.warmupMs(), plan.measuredMs()),
            new CommandLines(plan.pins()),
            plan.limits(),
            cleanUp,
            observer::step)) {
      Measurement measurement = turn.run(contestant, folders);
      jvmFlags.put(contestant.id(), turn.jvmFlags());
      return measurement;
    }
  }
}
