package io.weirmq.bench.compare;

import java.util.List;

/** What a scenario measures, and by which figures. Immutable. */
public enum MeasureKind {

  /** A message goes there and back. */
  ROUND_TRIP,

  /** One way at a fixed rate, from the intended send time to the receiver. */
  LATENCY,

  /** One way, as fast as it goes. */
  THROUGHPUT,

  /** Clients at rest, then woken now and then: what both cost. */
  IDLE;

  /** The figures of this kind, the most telling first. */
  public List<Metric> metrics() {
    return switch (this) {
      case ROUND_TRIP, LATENCY ->
          List.of(
              Metric.P50, Metric.P90, Metric.P99, Metric.P999, Metric.MAX, Metric.RATE, Metric.CPU);
      case THROUGHPUT -> List.of(Metric.RATE, Metric.CPU, Metric.RESIDENT);
      case IDLE -> List.of(Metric.IDLE_CPU, Metric.P50, Metric.P99, Metric.MAX);
    };
  }

  /** Whether its latencies are worth a chart; otherwise its rate is. */
  public boolean isLatency() {
    return this != THROUGHPUT;
  }
}
