package io.weirmq.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.weirmq.bench.compare.Metric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatiosTest {

  private final Report report = SampleReport.make();

  @Test
  void ratiosAreFormedWithinARound() {
    Ratios ratios = Ratios.of(report, "flood", Metric.RATE, "a", "b");

    // 300 / 100 and 100 / 200; in round 3 the other one failed.
    assertThat(ratios.byRound()).containsExactlyInAnyOrderEntriesOf(Map.of(1, 3.0, 2, 0.5));
    // The ratio of the medians, 300 / 150, would say 2.
    assertThat(ratios.spread()).contains(new Spread(0.5, 1.75, 3, 2));
  }

  @Test
  void aFigureThatAContestantDoesNotHaveGivesNoRatio() {
    assertThat(Ratios.of(report, "flood", Metric.P50, "a", "b").spread()).isEmpty();
  }

  @Test
  void figuresComeFromTheOutcomeOfATurn() {
    Measurement measurement = report.measurements("there", "b").get(0);

    // 100 of 40 µs in 2 s; 0.05 s of processor time for 100 of them.
    assertThat(measurement.figures().get(Metric.P50)).isCloseTo(40, within(0.05));
    assertThat(measurement.figures().get(Metric.MAX)).isCloseTo(40, within(0.05));
    assertThat(measurement.figures().get(Metric.RATE)).isEqualTo(50);
    assertThat(measurement.figures().get(Metric.CPU)).isCloseTo(500, within(1e-9));
  }
}
