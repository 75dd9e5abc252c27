package io.weirmq.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TransportOptionsTest {

  private final TransportOptions defaults = TransportOptions.defaults();

  @Test
  void changesOneThingAtATime() {
    assertThat(
            defaults
                .withFrameBytesMax(1)
                .withOutboundLimits(2, 3, 4)
                .withConnectionLimits(5, 6)
                .withIdleTimeout(Duration.ofSeconds(7))
                .withIoThreads(8, "nine")
                .withSocketBuffers(10, 11)
                .withProperties(Map.of("shm.a", "12")))
        .isEqualTo(
            new TransportOptions(
                1, 3, 2, 4, 5, 6, Duration.ofSeconds(7), 10, 11, 8, "nine", Map.of("shm.a", "12")));
  }

  @Test
  void namesWhatIsWrong() {
    assertThatThrownBy(() -> defaults.withFrameBytesMax(0)).hasMessageContaining("frameBytesMax");
    assertThatThrownBy(() -> defaults.withConnectionLimits(1, -3))
        .hasMessageContaining("connectionsPerHostMax")
        .hasMessageContaining("-3");
    assertThatThrownBy(() -> defaults.withOutboundLimits(10, 9, 20))
        .hasMessageContaining("must rise");
    assertThatThrownBy(() -> defaults.withOutboundLimits(10, 20, 19))
        .hasMessageContaining("must rise");
    assertThatThrownBy(() -> defaults.withIdleTimeout(Duration.ofSeconds(-1)))
        .hasMessageContaining("negative");
    assertThatThrownBy(() -> defaults.withSocketBuffers(-1, 0))
        .hasMessageContaining("socketSendBufferBytes");
    assertThatThrownBy(() -> defaults.withIoThreads(0, "x")).hasMessageContaining("ioThreads");
  }
}
