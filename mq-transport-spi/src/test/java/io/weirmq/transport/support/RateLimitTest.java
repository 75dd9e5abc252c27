package io.weirmq.transport.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RateLimitTest {

  private long nowNs = Long.MAX_VALUE - 5; // the clock may wrap round

  private final RateLimit limit = new RateLimit(() -> nowNs);

  @Test
  void passesOnceInTenSecondsAndCountsTheOthers() {
    assertThat(limit.tryPass()).as("the first").isZero();
    for (int i = 0; i < 4; i++) {
      assertThat(limit.tryPass()).isEqualTo(-1);
    }

    nowNs += Duration.ofSeconds(10).toNanos() - 1;
    assertThat(limit.tryPass()).as("a nanosecond early").isEqualTo(-1);
    nowNs++;
    assertThat(limit.tryPass()).as("left out before").isEqualTo(5);

    nowNs += Duration.ofSeconds(10).toNanos();
    assertThat(limit.tryPass()).as("counted anew").isZero();
  }
}
