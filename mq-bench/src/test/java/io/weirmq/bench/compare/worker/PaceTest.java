package io.weirmq.bench.compare.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Workload;
import org.junit.jupiter.api.Test;

class PaceTest {

  private static final long MS = 1_000_000;

  private long nowNs;

  @Test
  void messagesBecomeDueByTheClockAndKeepTheirTimes() {
    // 1,000 per second: one each ms, the first a ms after the start; 2 of warm-up, 5 that count.
    Pace pace =
        Pace.startingNow(
            new Workload(MeasureKind.LATENCY, 100, 1_000, Pacing.YIELD, 2, 5), () -> nowNs);

    assertThat(pace.due()).isZero();
    nowNs = MS;
    assertThat(pace.due()).isEqualTo(1);
    // A stall: three more are due at once, each with the time at which it should have gone.
    nowNs = 4 * MS;
    assertThat(pace.due()).isEqualTo(4);
    assertThat(pace.intendedNs(0)).isEqualTo(MS);
    assertThat(pace.intendedNs(3)).isEqualTo(4 * MS);
    assertThat(pace.phase(1)).isEqualTo(MessageFormat.WARM_UP);
    assertThat(pace.phase(2)).isEqualTo(MessageFormat.COUNTED);
    nowNs = 1_000 * MS;
    assertThat(pace.due()).isEqualTo(7);
    assertThat(pace.isOver()).isFalse();
    pace.begunTo(7);
    assertThat(pace.isOver()).isTrue();
  }
}
