package io.weirmq.bench.compare.run;

import java.nio.file.Path;
import java.util.List;

/**
 * How a comparison is run. Immutable.
 *
 * @param command what was typed, for the report
 * @param pairs rounds, at least 1
 * @param warmupMs time at the beginning of a turn that doesn't count
 * @param measuredMs time of a turn that counts
 * @param pins processors by order of start, see {@code taskset -c}; empty where the system chooses
 * @param dataFolder parent of the folders for what is durable
 * @param memoryFolder parent of the folders in memory
 * @param limits how long the steps of a turn may take
 */
public record ComparisonPlan(
    String command,
    int pairs,
    long warmupMs,
    long measuredMs,
    List<String> pins,
    Path dataFolder,
    Path memoryFolder,
    TurnLimits limits) {

  public ComparisonPlan {
    if (pairs < 1) {
      throw new IllegalArgumentException(pairs + " pairs, expected at least 1");
    }
    pins = List.copyOf(pins);
  }
}
