package io.weirmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidsTest {

  @Test
  void writesAndReadsTheTextThatKafkaClientsPrints() {
    Random random = new Random(17);
    for (int i = 0; i < 1000; i++) {
      UUID id = new UUID(random.nextLong(), random.nextLong());
      Uuid oracle = new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());

      assertThat(Uuids.toText(id)).isEqualTo(oracle.toString());
      assertThat(Uuids.fromText(oracle.toString())).isEqualTo(id);
    }
    assertThat(Uuids.toText(Uuids.ZERO)).isEqualTo("AAAAAAAAAAAAAAAAAAAAAA");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAA+A"})
  void refusesOtherTexts(String text) {
    assertThatThrownBy(() -> Uuids.fromText(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
