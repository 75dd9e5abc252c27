package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.worker.Outcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has measured. Immutable.
 *
 * @param sent messages sent, warm-up included
 * @param received messages received, warm-up included
 * @param counted messages of the counted time
 * @param seconds counted time
 * @param clockUncertaintyNs how far the clocks of the processes can lie apart at most, from the
 *     exchange of readings
 * @param processes what each process has used
 * @param figures the figures by metric
 * @param latency latencies in nanoseconds, as {@link Outcome#encode} writes them, or null
 */
public record Measurement(
    long sent,
    long received,
    long counted,
    double seconds,
    long clockUncertaintyNs,
    List<ProcessUse> processes,
    Map<Metric, Double> figures,
    @Nullable String latency) {

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double BYTES_PER_MIB = 1 << 20;

  public Measurement {
    processes = List.copyOf(processes);
    figures = Map.copyOf(figures);
  }

  /**
   * Computes the figures of a turn.
   *
   * @param outcome what the processes have counted together
   * @param usageSeconds time in which {@code processes} were watched
   */
  public static Measurement of(
      MeasureKind kind,
      Outcome outcome,
      List<ProcessUse> processes,
      double usageSeconds,
      long clockUncertaintyNs) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    for (Metric metric : kind.metrics()) {
      figures.put(metric, figure(metric, outcome, processes, usageSeconds));
    }
    Histogram latency = outcome.latencyNs();
    return new Measurement(
        outcome.sent(),
        outcome.received(),
        outcome.counted(),
        outcome.seconds(),
        clockUncertaintyNs,
        processes,
        figures,
        latency == null ? null : Outcome.encode(latency));
  }

  private static double figure(
      Metric metric, Outcome outcome, List<ProcessUse> processes, double usageSeconds) {
    return switch (metric) {
      case P50 -> micros(outcome, 50);
      case P90 -> micros(outcome, 90);
      case P99 -> micros(outcome, 99);
      case P999 -> micros(outcome, 99.9);
      case MAX -> micros(outcome, 100);
      case RATE -> outcome.counted() / outcome.seconds();
      case CPU ->
          processes.stream().mapToDouble(ProcessUse::cpuSeconds).sum() * 1e6 / outcome.counted();
      case RESIDENT ->
          processes.stream().mapToLong(ProcessUse::residentBytes).sum() / BYTES_PER_MIB;
      case IDLE_CPU ->
          processes.stream().mapToDouble(ProcessUse::cpuSeconds).sum() * 100 / usageSeconds;
    };
  }

  private static double micros(Outcome outcome, double percentile) {
    Histogram latency = outcome.latencyNs();
    if (latency == null) {
      throw new IllegalStateException("a turn whose latency is to be shown has measured none");
    }
    return latency.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }
}
