package io.weirmq.testkit.storage.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * After any crash a log is a prefix of whole batches of what was appended, at or past the last
 * flush, and everything that is derived from it fits. Each seed is a {@link Scenario}; what it
 * finds is compared with {@link ModelLog}s. A fault that was found once has a small test in {@link
 * PowerCutRecoveryTest}.
 *
 * <p>Seeds 1 to {@code -Dweirmq.crash.seeds} are run; {@code -Dweirmq.crash.seed} runs one.
 */
class CrashSeedsTest {

  private static final int SEEDS_DEFAULT = 500;
  private static final int FAILURES_MAX = 5;
  private static final int HISTORY_MAX = 150;

  @Test
  @DisplayName("ST-01 ST-03 ST-04 any crash leaves a prefix, at or past the last flush")
  void anyCrashLeavesAPrefix() {
    Long one = Long.getLong("weirmq.crash.seed");
    long first = one != null ? one : 1;
    long last = one != null ? one : Integer.getInteger("weirmq.crash.seeds", SEEDS_DEFAULT);
    List<String> failures = new ArrayList<>();
    long crashes = 0;
    long checkpointedStarts = 0;
    for (long seed = first; seed <= last; seed++) {
      Scenario scenario = new Scenario(seed);
      try {
        scenario.run();
      } catch (Exception | AssertionError e) {
        failures.add(message(seed, scenario, e, failures.isEmpty()));
      }
      crashes += scenario.crashes();
      checkpointedStarts += scenario.checkpointedStarts();
    }
    System.out.printf(
        "crash model: %d seeds, %d crashes, %d recoveries from inside a segment, %d violations%n",
        last - first + 1, crashes, checkpointedStarts, failures.size());
    if (!failures.isEmpty()) {
      throw new AssertionError(
          "%d of %d seeds fail:%n%s"
              .formatted(
                  failures.size(),
                  last - first + 1,
                  String.join("\n", failures.subList(0, Math.min(FAILURES_MAX, failures.size())))));
    }
    if (one == null) {
      assertThat(checkpointedStarts)
          .as("recoveries that began inside a segment")
          .isGreaterThan((last - first) / 20);
    }
  }

  private static String message(
      long seed, Scenario scenario, Throwable failure, boolean withHistory) {
    List<String> history = scenario.history();
    java.io.StringWriter trace = new java.io.StringWriter();
    failure.printStackTrace(new java.io.PrintWriter(trace, true));
    return "seed %d (replay: mvn -o -pl mq-testkit -am verify -Dtest=CrashSeedsTest -Dweirmq.crash.seed=%d"
            .formatted(seed, seed)
        + " -Dsurefire.failIfNoSpecifiedTests=false): "
        + failure
        + (withHistory
            ? "\n  "
                + String.join(
                    "\n  ",
                    history.subList(Math.max(0, history.size() - HISTORY_MAX), history.size()))
                + "\n"
                + trace
            : "");
  }
}
