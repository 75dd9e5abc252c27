package io.weirmq.bench.compare.report;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A turn of a contestant. Immutable.
 *
 * @param scenario id of the scenario
 * @param contestant id of the contestant
 * @param round number of the round, from 1
 * @param measurement what it has measured, or null where it failed
 * @param failure why it failed, or null where it did not
 */
public record TurnResult(
    String scenario,
    String contestant,
    int round,
    @Nullable Measurement measurement,
    @Nullable String failure) {

  public TurnResult {
    if ((measurement == null) == (failure == null)) {
      throw new IllegalArgumentException("a turn has either a measurement or a failure");
    }
  }

  /** What it has measured; empty where it failed. */
  public Optional<Measurement> measured() {
    return Optional.ofNullable(measurement);
  }
}
