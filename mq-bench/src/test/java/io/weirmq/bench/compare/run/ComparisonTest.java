package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.compare.report.Report;
import io.weirmq.bench.compare.report.TurnResult;
import io.weirmq.bench.compare.worker.EchoWorker;
import io.weirmq.bench.compare.worker.ReceiverWorker;
import io.weirmq.bench.compare.worker.RoundTripWorker;
import io.weirmq.bench.compare.worker.SenderWorker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole comparisons with processes, of contestants that do as they should and of some that don't.
 */
class ComparisonTest {

  private static final List<String> JVM_FLAGS =
      List.of("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir private Path folder;

  private final List<String> order = new ArrayList<>();

  @Test
  void contestantsTakeTurnsAndEveryTurnHasFigures() throws Exception {
    Scenario paced =
        new Scenario("paced", "Paced", "x", MeasureKind.LATENCY, 64, 1_000, Pacing.PARK);
    Scenario roundTrip =
        new Scenario("there", "There", "x", MeasureKind.ROUND_TRIP, 64, 0, Pacing.NONE);

    Report report = run(2, List.of(paced, roundTrip), List.of(sockets("a"), sockets("b")));

    assertThat(report.failures()).isEmpty();
    assertThat(order)
        .containsExactly(
            "paced a 1",
            "paced b 1",
            "paced a 2",
            "paced b 2",
            "there a 1",
            "there b 1",
            "there a 2",
            "there b 2");
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
                fake("refuses to start"),
                fake("dies"),
                fake("hangs"),
                fake("loses"),
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

    Report report = run(4, List.of(flood), List.of(fake("refuses to start")));

    assertThat(report.turns()).hasSize(Comparison.FAILED_TURNS_MAX);
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
    return new FixedContestant(id) {
      @Override
      public List<ProcessPlan> processes(Scenario scenario, TurnFolders folders) {
        Map<String, String> settings = Map.of("link", SocketLink.class.getName());
        return scenario.kind() == MeasureKind.ROUND_TRIP
            ? List.of(
                ProcessPlan.helping("echo", EchoWorker.class.getName(), JVM_FLAGS, settings),
                ProcessPlan.reporting(
                    "client", RoundTripWorker.class.getName(), JVM_FLAGS, settings))
            : List.of(
                ProcessPlan.reporting(
                    "receiver", ReceiverWorker.class.getName(), JVM_FLAGS, settings),
                ProcessPlan.reporting("sender", SenderWorker.class.getName(), JVM_FLAGS, settings));
      }
    };
  }

  private static Contestant fake(String fault) {
    return new FixedContestant(fault) {
      @Override
      public List<ProcessPlan> processes(Scenario scenario, TurnFolders folders) {
        return List.of(
            ProcessPlan.reporting(
                "fake", FakeWorker.class.getName(), JVM_FLAGS, Map.of("fault", fault)));
      }
    };
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

  /** A contestant without promises. */
  private abstract static class FixedContestant implements Contestant {

    private final String id;

    FixedContestant(String id) {
      this.id = id;
    }

    @Override
    public String id() {
      return id;
    }

    @Override
    public String title() {
      return id;
    }

    @Override
    public Role role() {
      return Role.SUBJECT;
    }

    @Override
    public String promise() {
      return "none";
    }

    @Override
    public String waiting() {
      return "yields";
    }

    @Override
    public boolean takesPartIn(Scenario scenario) {
      return true;
    }
  }
}
