package io.weirmq.bench.compare.run;

import java.time.Duration;

/**
 * How long the steps of a turn may take. Immutable.
 *
 * @param start from the start of a process until it is ready
 * @param drain beyond warm-up and counted time, until the results are there
 * @param stop until a process has ended that was told to; then it is killed
 */
public record TurnLimits(Duration start, Duration drain, Duration stop) {

  /** Enough for a broker on a busy machine. */
  public static TurnLimits defaults() {
    return new TurnLimits(Duration.ofSeconds(60), Duration.ofSeconds(45), Duration.ofSeconds(5));
  }
}
