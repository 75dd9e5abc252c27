package io.weirmq.bench.compare.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StreamCheckTest {

  private static final int BYTES = 32;

  private final StringBuilder told = new StringBuilder();
  private long nowNs = 1_000;
  private final StreamCheck check =
      new StreamCheck(
          BYTES,
          true,
          () -> nowNs,
          new Worker.Progress() {
            @Override
            public void measuring() {
              told.append("measuring ");
            }

            @Override
            public void measured() {
              told.append("measured ");
            }
          });

  @Test
  void countsOnlyWhatCameBehindTheWarmUp() {
    receive(0, 0, MessageFormat.WARM_UP);
    receive(1, 400, MessageFormat.COUNTED);
    nowNs = 1_500;
    receive(2, 800, MessageFormat.COUNTED);
    nowNs = 2_001_000;
    receive(3, 0, MessageFormat.END);

    Outcome outcome = check.outcome();
    assertThat(outcome.received()).isEqualTo(3);
    assertThat(outcome.counted()).isEqualTo(2);
    assertThat(outcome.seconds()).isEqualTo(0.002);
    assertThat(outcome.lost()).isZero();
    assertThat(Optional.ofNullable(outcome.latencyNs()))
        .hasValueSatisfying(
            latencyNs -> {
              assertThat(latencyNs.getMinValue()).isEqualTo(600);
              assertThat(latencyNs.getMaxValue()).isEqualTo(700);
            });
    assertThat(told.toString()).isEqualTo("measuring measured ");
    assertThat(check.isEnded()).isTrue();
  }

  @Test
  void countsWhatIsLostComesTwiceOrLate() {
    receive(0, 0, MessageFormat.COUNTED);
    receive(3, 0, MessageFormat.COUNTED);
    receive(1, 0, MessageFormat.COUNTED);
    receive(3, 0, MessageFormat.COUNTED);
    receive(5, 0, MessageFormat.END);

    // Of 0 to 4 only 0 and 3 came in order; 1 and the second 3 did not.
    assertThat(check.outcome().received()).isEqualTo(2);
    assertThat(check.outcome().lost()).isEqualTo(3);
    assertThat(check.outcome().outOfOrder()).isEqualTo(2);
  }

  @Test
  void countsWhatIsNotWhole() {
    ByteBuffer message = MessageFormat.allocate(BYTES);
    MessageFormat.write(message, 0, 0, MessageFormat.COUNTED);
    message.put(7, (byte) 99);
    check.onMessage(message, 0, BYTES);
    check.onMessage(message, 0, BYTES - 1);

    assertThat(check.outcome().damaged()).isEqualTo(2);
  }

  private void receive(long sequence, long intendedNs, int phase) {
    ByteBuffer message = MessageFormat.allocate(BYTES);
    MessageFormat.write(message, sequence, intendedNs, phase);
    check.onMessage(message, 0, BYTES);
  }
}
