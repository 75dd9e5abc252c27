package io.weirmq.storage.internal.compact;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The map of keys, beside a map of the JDK. */
class OffsetMapTest {

  private static ByteBuffer key(int number) {
    return ByteBuffer.allocate(4).putInt(0, number);
  }

  private static OffsetMap map(long bytes, double load, long records) {
    return new OffsetMap(new KeyHash(7, 11), bytes, load, records);
  }

  @Test
  void knowsTheLastOffsetOfEachKey_upToItsLoad() {
    long seed = 42;
    Random random = new Random(seed);
    OffsetMap map = map(24 * 1000, 0.9, 1_000_000);
    Map<Integer, Long> model = new HashMap<>();
    for (long offset = 0; offset < 20_000; offset++) {
      int key = random.nextInt(2_000);
      boolean put = map.put(key(key), 0, 4, offset);
      assertThat(put).as("seed %d", seed).isEqualTo(model.containsKey(key) || model.size() < 900);
      if (put) {
        model.put(key, offset);
      }
    }
    assertThat(map.size()).isEqualTo(900);
    for (int key = 0; key < 2_000; key++) {
      assertThat(map.get(key(key), 0, 4))
          .as("seed %d, key %d", seed, key)
          .isEqualTo(model.getOrDefault(key, OffsetMap.UNKNOWN));
    }
  }

  @Test
  void takesNoMoreMemoryThanItMay_norThanItNeeds() {
    assertThat(map(1 << 20, 0.9, Long.MAX_VALUE).sizeBytes()).isBetween(1L << 19, 1L << 20);
    OffsetMap small = map(1 << 20, 0.5, 100);
    assertThat(small.sizeBytes()).isLessThan(24 * 300);
    for (int key = 0; key < 100; key++) {
      assertThat(small.put(key(key), 0, 4, key)).isTrue();
    }
  }

  @Test
  void endsItsSearches_alsoWhereTheLoadFactorIsNearOne() {
    OffsetMap map = map(1024, 0.9999, 1_000);
    int taken = 0;
    while (map.put(key(taken), 0, 4, taken)) {
      taken++;
    }
    assertThat(taken).isEqualTo(1024 / 24 - 1);
    assertThat(map.get(key(99), 0, 4)).isEqualTo(OffsetMap.UNKNOWN);
  }
}
