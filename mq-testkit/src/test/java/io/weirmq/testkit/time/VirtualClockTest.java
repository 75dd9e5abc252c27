package io.weirmq.testkit.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class VirtualClockTest {

  @Test
  void standsStillUntilItIsMoved() {
    VirtualClock clock = new VirtualClock();

    assertThat(clock.instant()).isEqualTo(VirtualClock.START);
    assertThat(clock.millis()).isEqualTo(VirtualClock.START.toEpochMilli());
    assertThat(clock.nanoTime()).isZero();
  }

  @Test
  void movesBothClocksTogether() {
    VirtualClock clock = new VirtualClock();

    clock.advance(Duration.ofMillis(1_500));

    assertThat(clock.instant()).isEqualTo(VirtualClock.START.plusMillis(1_500));
    assertThat(clock.nanoClock().getAsLong()).isEqualTo(1_500_000_000L);
  }

  @Test
  void movesEachClockAlone() {
    VirtualClock clock = new VirtualClock();

    clock.shiftWall(Duration.ofHours(-3));
    clock.advanceNanos(Duration.ofNanos(7));

    assertThat(clock.instant()).isEqualTo(VirtualClock.START.minusSeconds(3 * 3600));
    assertThat(clock.nanoTime()).isEqualTo(7);
    clock.setWall(Instant.EPOCH);
    assertThat(clock.millis()).isZero();
  }

  @Test
  void keepsTheMonotonicClockFromGoingBack() {
    VirtualClock clock = new VirtualClock();

    assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(clock.instant()).isEqualTo(VirtualClock.START);
  }
}
