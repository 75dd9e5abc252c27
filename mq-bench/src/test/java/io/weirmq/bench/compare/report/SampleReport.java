package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.worker.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * A report with figures that can be checked by hand: two scenarios, three rounds, a failed turn.
 */
final class SampleReport {

  private SampleReport() {}

  static Report make() {
    List<TurnResult> turns = new ArrayList<>();
    // Rates of A 300, 100, 400 and of B 100, 200, failed: ratios 3 and 0.5.
    turns.add(throughput("a", 1, 300));
    turns.add(throughput("b", 1, 100));
    turns.add(throughput("a", 2, 100));
    turns.add(throughput("b", 2, 200));
    turns.add(throughput("a", 3, 400));
    turns.add(
        new TurnResult("flood", "b", 3, null, "receiver ended\nlast output of receiver:\nno room"));
    for (int round = 1; round <= 3; round++) {
      turns.add(roundTrip("a", round, 10_000L * round));
      turns.add(roundTrip("b", round, 40_000L));
    }
    return new Report(
        Report.FORMAT,
        "sample",
        "Two that do the same.",
        3,
        500,
        2000,
        List.of(
            new Report.Fact("processor", "abacus | 2 rows"), new Report.Fact("kernel", "Linux 6")),
        List.of(
            new Scenario(
                "flood", "As much as goes", "x", MeasureKind.THROUGHPUT, 100, 0, Pacing.NONE),
            new Scenario(
                "there", "There and back", "x", MeasureKind.ROUND_TRIP, 100, 0, Pacing.NONE)),
        List.of(
            new ContestantFacts(
                "a", "Ours", Role.SUBJECT, "kept", "spins", List.of("sender: -Xmx1m")),
            new ContestantFacts("b", "Theirs", Role.PEER, "lost", "sleeps", List.of())),
        turns);
  }

  private static TurnResult throughput(String contestant, int round, double perSecond) {
    return new TurnResult(
        "flood",
        contestant,
        round,
        new Measurement(
            500,
            500,
            400,
            2,
            1500,
            List.of(new ProcessUse("sender", false, 0.25, 4 << 20)),
            Map.of(Metric.RATE, perSecond, Metric.CPU, 2.0, Metric.RESIDENT, 4.0),
            null),
        null);
  }

  private static TurnResult roundTrip(String contestant, int round, long latencyNs) {
    Histogram latency = new Histogram(Outcome.LATENCY_NS_MAX, 3);
    latency.recordValueWithCount(latencyNs, 100);
    Outcome outcome = new Outcome(120, 120, 100, 2, 0, 0, 0, latency);
    return new TurnResult(
        "there",
        contestant,
        round,
        Measurement.of(
            MeasureKind.ROUND_TRIP,
            outcome,
            List.of(
                new ProcessUse("echo", true, 0.03, 1 << 20),
                new ProcessUse("client", false, 0.02, 1 << 20)),
            2,
            1500),
        null);
  }
}
