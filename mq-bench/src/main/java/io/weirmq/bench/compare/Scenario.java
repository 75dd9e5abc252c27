package io.weirmq.bench.compare;

/**
 * What is measured. Immutable.
 *
 * @param id short name for the command line and files: lower case, digits, dashes
 * @param title for reports
 * @param category what kind of system can take part, such as {@code transport} or {@code durable};
 *     contestants look at it
 * @param kind what is measured
 * @param messageBytes size of a message in bytes
 * @param ratePerSecond messages per second of an open loop; 0 where the next one follows at once
 * @param pacing how the sender waits between two messages
 */
public record Scenario(
    String id,
    String title,
    String category,
    MeasureKind kind,
    int messageBytes,
    long ratePerSecond,
    Pacing pacing) {

  public Scenario {
    if (!id.matches("[a-z0-9][a-z0-9-]*")) {
      throw new IllegalArgumentException(
          "scenario '" + id + "': expected lower case letters, digits and dashes");
    }
  }

  /** The work of a turn of this scenario. */
  public Workload workload(long warmupMs, long measuredMs) {
    return new Workload(kind, messageBytes, ratePerSecond, pacing, warmupMs, measuredMs);
  }
}
