package io.weirmq.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time index: format, lookup, damage. */
class TimeIndexTest {

  private static final long BASE = 5_000;

  @Test
  void writesTheFormat_bigEndianTimestampAndRelativeOffset() throws IOException {
    MemoryIndexFile file = new MemoryIndexFile();
    try (TimeIndex index = TimeIndex.open(file, BASE)) {
      index.append(1_700_000_000_000L, BASE + 41);
      index.append(1_700_000_000_001L, BASE + 41);
    }

    assertThat(HexFormat.of().formatHex(file.content()))
        .isEqualTo("0000018bcfe56800" + "00000029" + "0000018bcfe56801" + "00000029");
  }

  @Test
  void leavesOutWhatDoesNotRaiseTheTimestamp() throws IOException {
    TimeIndex index = TimeIndex.open(new MemoryIndexFile(), BASE);

    assertThat(index.append(-1, BASE)).isFalse();
    assertThat(index.append(100, BASE + 1)).isTrue();
    assertThat(index.append(100, BASE + 2)).isFalse();
    assertThat(index.append(99, BASE + 3)).isFalse();
    assertThat(index.append(101, BASE + 4)).isTrue();
    assertThat(index.count()).isEqualTo(2);
    assertThat(index.lastTimestampMs()).isEqualTo(101);
    assertThat(index.lastOffset()).isEqualTo(BASE + 4);
  }

  @Test
  void refusesAnOffsetThatFallsOrDoesNotFit() throws IOException {
    TimeIndex index = TimeIndex.open(new MemoryIndexFile(), BASE);
    index.append(100, BASE + 7);

    assertThatThrownBy(() -> index.append(101, BASE + 6))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> index.append(101, BASE + 0x8000_0000L))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void floorEqualsAScan(long seed) throws IOException {
    Random random = new Random(seed);
    MemoryIndexFile file = new MemoryIndexFile();
    TimeIndex index = TimeIndex.open(file, BASE);
    TreeMap<Long, Long> model = new TreeMap<>();
    long timestamp = 0;
    long offset = BASE;
    for (int i = 0; i < 3_000; i++) {
      timestamp += random.nextInt(4);
      offset += random.nextInt(4);
      if (index.append(timestamp, offset)) {
        model.put(timestamp, offset);
      }
      if (random.nextInt(400) == 0) {
        index.close();
        index = TimeIndex.open(file, BASE);
      }
      if (random.nextInt(500) == 0) {
        long cut = offset - random.nextInt(500);
        index.truncateTo(cut);
        model.values().removeIf(value -> value >= cut);
        timestamp = Math.max(0, index.lastTimestampMs());
        offset = index.lastOffset();
      }
      long target = random.nextLong(timestamp + 5) - 2;
      Map.Entry<Long, Long> expected = model.floorEntry(target);
      int entry = index.floorEntry(target);
      assertThat(entry >= 0 ? index.offset(entry) : -1)
          .as("seed %d, target %d", seed, target)
          .isEqualTo(expected == null ? -1 : expected.getValue());
    }
    assertThat(index.count()).as("seed %d", seed).isEqualTo(model.size());
  }

  @Test
  @DisplayName("IX-02 zeros behind the last entry don't count")
  void ix02_preallocatedFileThatWasNeverTrimmed() throws IOException {
    byte[] content = ByteBuffer.allocate(12 * 50).putLong(77).putInt(3).array();

    TimeIndex index = TimeIndex.open(MemoryIndexFile.of(content), BASE);

    assertThat(index.count()).isEqualTo(1);
    assertThat(index.lastTimestampMs()).isEqualTo(77);
    assertThat(index.lastOffset()).isEqualTo(BASE + 3);
  }

  @Test
  void refusesALastEntryThatCantBeOne() {
    byte[] falling = ByteBuffer.allocate(24).putLong(100).putInt(1).putLong(99).putInt(2).array();

    assertThatThrownBy(() -> TimeIndex.open(MemoryIndexFile.of(falling), BASE))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("timestamp 99 (the first has 100)");
  }

  @Test
  @DisplayName("IX-07 one entry more than full is possible: the one that closes the segment")
  void ix07_isFull() throws IOException {
    TimeIndex index = TimeIndex.open(new MemoryIndexFile(), 0);
    for (int i = 1; i <= 4; i++) {
      assertThat(index.isFull(60, 0)).isFalse();
      index.append(i, i);
    }
    assertThat(index.isFull(60, 0)).isTrue();
    assertThat(index.append(5, 5)).isTrue();
  }
}
