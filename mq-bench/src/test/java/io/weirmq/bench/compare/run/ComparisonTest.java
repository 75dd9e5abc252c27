package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import io.weirmq.bench.compare.report.Report;
import io.weirmq.bench.compare.report.TurnResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole comparisons with processes, of contestants that do as they should and of some that don't.
 */
class ComparisonTest {

  @TempDir private Path folder;

  private final List<String> order = new ArrayList<>();

  @Test
  void contestantsTakeTurnsAndEveryTurnHasFigures() throws Exception {
    Report report =
        run(2, List.of(SmallSuite.PACED, SmallSuite.THERE), List.of(sockets("a"), sockets("b")));

    assertThat(report.failures()).isEmpty();
    assertThat(order)
        .containsExactly(
            "paced a 1",
            "paced b 1",
            "paced b 2",
            "paced a 2",
            "there a 1",
            "there b 1",
            "there b 2",
            "there a 2");
    // 20 ms of warm-up at 1,000/s don't count, 30 ms do.
    assertThat(report.measurements("paced", "a"))
        .allSatisfy(
            measurement -> {
              assertThat(measurement.sent()).isEqualTo(50);
              assertThat(measurement.received()).isEqualTo(50);
              assertThat(measurement.counted()).isEqualTo(30);
              assertThat(measurement.figures()).containsOnlyKeys(MeasureKind.LATENCY.metrics());
              assertThat(measurement.processes()).hasSize(2);
              assertThat(measurement.clockUncertaintyNs()).isPositive();
            });
    assertThat(report.figures("there", "b", Metric.P50).values())
        .hasSize(2)
        .allSatisfy(micros -> assertThat(micros).isPositive());
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void failuresAreReportedAndTheRunGoesOn() throws Exception {
    Scenario flood =
        new Scenario("flood", "Flood", "x", MeasureKind.THROUGHPUT, 64, 0, Pacing.NONE);

    Report report =
        run(
            1,
            List.of(flood),
            List.of(
                FixedContestant.fake("refuses to start"),
                FixedContestant.fake("dies"),
                FixedContestant.fake("hangs"),
                FixedContestant.fake("loses"),
                sockets("well")));

    assertThat(failure(report, "refuses to start")).contains("the port is taken");
    assertThat(failure(report, "dies")).contains("ended while", "something went wrong");
    assertThat(failure(report, "hangs")).contains("timed out while waiting for the results");
    assertThat(failure(report, "loses")).contains("of 10 messages sent 9 came: 1 lost");
    assertThat(report.figures("flood", "well", Metric.RATE)).hasSize(1);
    assertThat(folder).isEmptyDirectory();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void whoFailsTwiceInAScenarioGetsNoFurtherTurn() throws Exception {
    Scenario flood =
        new Scenario("flood", "Flood", "x", MeasureKind.THROUGHPUT, 64, 0, Pacing.NONE);

    Report report = run(4, List.of(flood), List.of(FixedContestant.fake("refuses to start")));

    assertThat(report.turns()).hasSize(Comparison.FAILED_TURNS_MAX);
  }

  @Test
  void eachRoundBeginsWithAnotherContestant() throws Exception {
    Scenario flood =
        new Scenario("flood", "Flood", "x", MeasureKind.THROUGHPUT, 64, 0, Pacing.NONE);

    run(
        4,
        List.of(flood),
        List.of(
            FixedContestant.fake("loses a"),
            FixedContestant.fake("loses b"),
            FixedContestant.fake("loses c")));

    // Each fails twice and is left out then.
    assertThat(order)
        .containsExactly(
            "flood loses a 1",
            "flood loses b 1",
            "flood loses c 1",
            "flood loses b 2",
            "flood loses c 2",
            "flood loses a 2");
  }

  private static String failure(Report report, String contestant) {
    return report.failures().stream()
        .filter(turn -> turn.contestant().equals(contestant))
        .map(turn -> String.valueOf(turn.failure()))
        .findFirst()
        .orElse("no failure of " + contestant);
  }

  private Report run(int pairs, List<Scenario> scenarios, List<Contestant> contestants)
      throws Exception {
    TurnLimits limits =
        new TurnLimits(Duration.ofSeconds(60), Duration.ofSeconds(15), Duration.ofSeconds(2));
    ComparisonPlan plan =
        new ComparisonPlan("compare", pairs, 20, 30, List.of(), folder, folder, limits);
    Comparison.Observer observer =
        new Comparison.Observer() {
          @Override
          public void turn(
              int number, int count, Scenario scenario, Contestant contestant, int round) {
            order.add(scenario.id() + " " + contestant.id() + " " + round);
          }

          @Override
          public void step(String step) {}

          @Override
          public void done(TurnResult result) {}
        };
    try (CleanUp cleanUp = new CleanUp()) {
      return new Comparison(plan, cleanUp, observer)
          .run(
              new FixedSuite(scenarios),
              contestants,
              new Selection(Set.of(), Set.of()),
              new MachineFacts(
                  Path.of("/"),
                  InstantSource.fixed(Instant.EPOCH),
                  new BuildFacts("1", "unknown")));
    }
  }

  private static Contestant sockets(String id) {
    return FixedContestant.sockets(id, Role.SUBJECT, scenario -> true);
  }

  /** A suite of given scenarios. */
  private record FixedSuite(List<Scenario> scenarios) implements Suite {
    @Override
    public String name() {
      return "fixed";
    }

    @Override
    public String description() {
      return "For tests.";
    }
  }
}
