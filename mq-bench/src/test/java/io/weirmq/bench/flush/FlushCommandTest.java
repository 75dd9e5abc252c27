package io.weirmq.bench.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultLocale;

class FlushCommandTest {

  @Test
  @DefaultLocale("de-DE")
  void rowsAreTheSameInAGermanLocale() {
    String row =
        FlushCommand.row(
            new FlushCommand.Setting(1024, Long.MAX_VALUE, 64),
            List.of(outcome(12_000), outcome(9_000), outcome(10_000)));

    assertThat(row)
        .isEqualTo(
            "| 1024 | none | 64 | 10,000 (9,000–12,000) | 2,500 (2,500–2,500) | 2,000 (2,000–2,000)"
                + " | 2,000 (2,000–2,000) |");
  }

  private static FlushRound.Outcome outcome(double appendsPerSecond) {
    Histogram latencyNs = new Histogram(3_600_000_000_000L, 5);
    latencyNs.recordValue(2_000_000);
    return new FlushRound.Outcome(appendsPerSecond, 2_500, latencyNs);
  }
}
