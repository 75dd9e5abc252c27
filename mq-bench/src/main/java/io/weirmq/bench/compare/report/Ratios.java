package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.Metric;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One contestant against another, round by round. Immutable.
 *
 * @param byRound ratio subject / other of each round in which both have a figure, and the other's
 *     is not 0
 */
public record Ratios(SortedMap<Integer, Double> byRound) {

  /** Forms the ratios of a figure. */
  public static Ratios of(
      Report report, String scenario, Metric metric, String subject, String other) {
    Map<Integer, Double> numerators = report.figures(scenario, subject, metric);
    Map<Integer, Double> denominators = report.figures(scenario, other, metric);
    SortedMap<Integer, Double> ratios = new TreeMap<>();
    numerators.forEach(
        (round, value) -> {
          Double against = denominators.get(round);
          if (against != null && against != 0) {
            ratios.put(round, value / against);
          }
        });
    return new Ratios(ratios);
  }

  /** Their spread; empty where there is no ratio. */
  public Optional<Spread> spread() {
    return byRound.isEmpty() ? Optional.empty() : Optional.of(Spread.of(byRound.values()));
  }
}
