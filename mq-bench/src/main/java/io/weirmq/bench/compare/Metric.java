package io.weirmq.bench.compare;

/** A figure of a turn. Immutable. */
public enum Metric {
  P50("p50", "µs", false),
  P90("p90", "µs", false),
  P99("p99", "µs", false),
  P999("p99.9", "µs", false),
  MAX("max", "µs", false),

  /** Messages that arrived per second of the counted time; round trips where there are such. */
  RATE("rate", "messages/s", true),

  /** Processor time of all processes of a contestant, brokers and drivers included. */
  CPU("CPU", "s per million messages", false),

  /** Resident memory of all processes of a contestant at the end. */
  RESIDENT("resident memory", "MiB", false),

  /** Processor time of broker and clients while the clients are at rest, of one core. */
  IDLE_CPU("CPU at rest", "% of a core", false);

  private final String label;
  private final String unit;
  private final boolean higherIsBetter;

  Metric(String label, String unit, boolean higherIsBetter) {
    this.label = label;
    this.unit = unit;
    this.higherIsBetter = higherIsBetter;
  }

  /** Name for tables. */
  public String label() {
    return label;
  }

  /** Unit for tables. */
  public String unit() {
    return unit;
  }

  /** Whether a ratio above 1 is a gain. */
  public boolean isHigherBetter() {
    return higherIsBetter;
  }
}
