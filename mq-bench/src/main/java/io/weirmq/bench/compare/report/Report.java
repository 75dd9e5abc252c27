package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Scenario;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that a run has found. Immutable.
 *
 * @param format version of this form, {@value #FORMAT}
 * @param suite name of the suite
 * @param description what it compares
 * @param pairs rounds in which every contestant had a turn
 * @param warmupMs time at the beginning of a turn that doesn't count
 * @param measuredMs time of a turn that counts
 * @param machine what is to be known of machine and run, by name, in the order to be shown
 * @param scenarios the scenarios that ran
 * @param contestants the contestants that took part
 * @param turns the turns in their order
 */
public record Report(
    int format,
    String suite,
    String description,
    int pairs,
    long warmupMs,
    long measuredMs,
    List<Fact> machine,
    List<Scenario> scenarios,
    List<ContestantFacts> contestants,
    List<TurnResult> turns) {

  /** The version of the form that is written. */
  public static final int FORMAT = 1;

  public Report {
    if (format != FORMAT) {
      throw new IllegalArgumentException(
          "report of format %d, expected %d".formatted(format, FORMAT));
    }
    machine = List.copyOf(machine);
    scenarios = List.copyOf(scenarios);
    contestants = List.copyOf(contestants);
    turns = List.copyOf(turns);
  }

  /**
   * A fact of the machine or the run.
   *
   * @param name what
   * @param value as a text for people
   */
  public record Fact(String name, String value) {}

  /** The turns of a scenario. */
  public List<TurnResult> turnsOf(String scenario) {
    return turns.stream().filter(turn -> turn.scenario().equals(scenario)).toList();
  }

  /** The contestants that have a turn in a scenario. */
  public List<ContestantFacts> contestantsOf(String scenario) {
    List<String> there = turnsOf(scenario).stream().map(TurnResult::contestant).toList();
    return contestants.stream().filter(contestant -> there.contains(contestant.id())).toList();
  }

  /** A figure of a contestant by round; rounds that failed are missing. */
  public SortedMap<Integer, Double> figures(String scenario, String contestant, Metric metric) {
    SortedMap<Integer, Double> figures = new TreeMap<>();
    for (TurnResult turn : turnsOf(scenario)) {
      if (turn.contestant().equals(contestant)) {
        turn.measured()
            .map(measurement -> measurement.figures().get(metric))
            .ifPresent(value -> figures.put(turn.round(), value));
      }
    }
    return figures;
  }

  /** The measurements of a contestant in a scenario. */
  public List<Measurement> measurements(String scenario, String contestant) {
    return turnsOf(scenario).stream()
        .filter(turn -> turn.contestant().equals(contestant))
        .flatMap(turn -> turn.measured().stream())
        .toList();
  }

  /** The turns that failed. */
  public List<TurnResult> failures() {
    return turns.stream().filter(turn -> turn.failure() != null).toList();
  }
}
