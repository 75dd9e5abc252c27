package io.weirmq.bench.restart;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultLocale;

class RestartCommandTest {

  @Test
  @DefaultLocale("de-DE")
  void rowsAreTheSameInAGermanLocale() {
    // 12.5 ms, 1.5 MiB.
    assertThat(RestartCommand.row(1024, 17, 64, 12_500_000, 1_572_864, 900_000))
        .isEqualTo("| 1024 | 17 | 64 | 12.5 | 1.5 | 900000 |");
  }
}
