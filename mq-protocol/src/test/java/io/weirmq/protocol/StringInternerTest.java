package io.weirmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StringInternerTest {

  private final StringInterner interner = new StringInterner(16);

  private @Nullable String intern(String text) {
    byte[] bytes = ("xx" + text).getBytes(StandardCharsets.UTF_8);
    return interner.intern(ByteBuffer.wrap(bytes), 2, bytes.length - 2);
  }

  @Test
  void givesTheSameStringForTheSameBytes() {
    String first = intern("orders");

    assertThat(first).isEqualTo("orders");
    assertThat(intern("orders")).isSameAs(first);
    assertThat(intern("orderz")).isEqualTo("orderz");
    assertThat(intern("")).isEmpty();
  }

  @Test
  void keepsOnlyShortAscii() {
    assertThat(intern("ordrés")).isNull();
    assertThat(intern("a".repeat(StringInterner.LENGTH_MAX))).hasSize(StringInterner.LENGTH_MAX);
    assertThat(intern("a".repeat(StringInterner.LENGTH_MAX + 1))).isNull();
  }

  @Test
  void staysCorrectWhenManyNamesShareItsPlaces() {
    Random random = new Random(11);
    for (int i = 0; i < 10_000; i++) {
      String name = "topic-" + random.nextInt(200);
      assertThat(intern(name)).isEqualTo(name);
    }
  }

  @Test
  void refusesCapacitiesThatAreNoPowerOfTwo() {
    assertThatThrownBy(() -> new StringInterner(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new StringInterner(100)).hasMessageContaining("found 100");
  }
}
