package io.weirmq.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShmOptionsTest {

  @Test
  void grantsPowersOfTwoWithinItsBounds() {
    ShmOptions options = ShmOptions.defaults().withRingBounds(8 * 1024, 64 * 1024);

    assertThat(options.grant(Integer.MIN_VALUE)).isEqualTo(8 * 1024);
    assertThat(options.grant(0)).isEqualTo(8 * 1024);
    assertThat(options.grant(8 * 1024 + 1)).isEqualTo(16 * 1024);
    assertThat(options.grant(16 * 1024)).isEqualTo(16 * 1024);
    assertThat(options.grant(Integer.MAX_VALUE)).isEqualTo(64 * 1024);
  }

  @Test
  void acceptsOnlyWhatItWouldGrant() {
    ShmOptions options = ShmOptions.defaults().withRingBounds(8 * 1024, 64 * 1024);

    assertThat(options.accepts(32 * 1024)).isTrue();
    assertThat(options.accepts(33 * 1024)).isFalse();
    assertThat(options.accepts(4 * 1024)).isFalse();
    assertThat(options.accepts(128 * 1024)).isFalse();
    assertThat(options.accepts(Integer.MIN_VALUE)).isFalse();
    assertThat(options.accepts(0)).isFalse();
  }

  @Test
  void movesTheWantedSizesIntoNewBounds() {
    assertThat(ShmOptions.defaults().withRingBounds(4096, 4096))
        .isEqualTo(new ShmOptions(4096, 4096, 4096, 4096, WaitStrategy.ADAPTIVE, null));
  }

  @Test
  void refusesBoundsThatCannotBe() {
    assertThatThrownBy(() -> ShmOptions.defaults().withRingBounds(2048, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ringBytesMin is 2048");
    assertThatThrownBy(() -> ShmOptions.defaults().withRingBounds(5000, 8192))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("power of two");
    assertThatThrownBy(() -> ShmOptions.defaults().withRingBounds(8192, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("above");
    assertThatThrownBy(() -> ShmOptions.defaults().withRings(1024, 1 << 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sendRingBytes is 1024");
  }

  @Test
  void takesWhatPropertiesSay() {
    ShmOptions options =
        ShmOptions.defaults()
            .with(
                Map.of(
                    "shm.ring.bytes.min", "8192",
                    "shm.ring.bytes.max", " 65536 ",
                    "shm.send.ring.bytes", "16384",
                    "shm.wait.strategy", "busy-spin",
                    "shm.group", "mq",
                    "tcp.of.somebody.else", "?"));

    assertThat(options)
        .isEqualTo(new ShmOptions(16384, 65536, 8192, 65536, WaitStrategy.BUSY_SPIN, "mq"));
    assertThat(ShmOptions.defaults().with(Map.of())).isEqualTo(ShmOptions.defaults());
  }

  @Test
  void refusesPropertiesThatItCanNotTake() {
    assertThatThrownBy(() -> ShmOptions.defaults().with(Map.of("shm.rings", "1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("property shm.rings is not known")
        .hasMessageContaining("shm.ring.bytes.max");
    assertThatThrownBy(() -> ShmOptions.defaults().with(Map.of("shm.ring.bytes.max", "1 MiB")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "shm.ring.bytes.max: expected a whole number of bytes, found '1 MiB'");
    assertThatThrownBy(() -> ShmOptions.defaults().with(Map.of("shm.wait.strategy", "spin")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[adaptive, yielding, busy-spin], found 'spin'");
    assertThatThrownBy(() -> ShmOptions.defaults().with(Map.of("shm.ring.bytes.max", "5000")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("5000");
  }
}
