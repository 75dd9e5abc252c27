package io.weirmq.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The offset index: format, lookup, damage. */
class OffsetIndexTest {

  private static final long BASE = 1_000_000_000_000L;

  @TempDir Path folder;

  @Test
  void writesTheFormat_bigEndianRelativeOffsetAndPosition() throws IOException {
    Path path = folder.resolve("a.index");
    try (OffsetIndex index = OffsetIndex.open(ChannelIndexFile.open(path), BASE)) {
      index.append(BASE + 41, 4_200);
      index.append(BASE + 0x7fff_ffffL, 0x7fff_fffe);
    }

    assertThat(HexFormat.of().formatHex(Files.readAllBytes(path)))
        .isEqualTo("00000029" + "00001068" + "7fffffff" + "7ffffffe");
  }

  @Test
  void keepsEntriesOnTheHeapUntilFlushed() throws IOException {
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0);
    index.append(10, 100);

    assertThat(file.content()).isEmpty();
    assertThat(index.floorEntry(10)).isZero();

    index.flush();

    assertThat(file.content()).hasSize(8);
    assertThat(index.floorEntry(10)).isZero();
    assertThat(index.position(0)).isEqualTo(100);
  }

  @Test
  void aLookupReadsOnePage_whateverTheSize() throws IOException {
    int pages = 300;
    int entries = pages * EntryTable.PAGE_ENTRIES;
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0);
    for (int i = 0; i < entries; i++) {
      index.append(10L * (i + 1), i + 1);
    }
    index.flush();
    for (int page = 0; page < pages; page++) {
      index.floorEntry(
          10L * (page * EntryTable.PAGE_ENTRIES + 1)); // the first keys are known from here
    }

    Random random = new Random(3);
    int before = file.readCount();
    for (int i = 0; i < 1_000; i++) {
      int entry = random.nextInt(entries);
      assertThat(index.floorEntry(10L * (entry + 1) + random.nextInt(10))).isEqualTo(entry);
    }

    assertThat(file.readCount() - before).isBetween(900, 1_000);
  }

  @Test
  void pagesAreKeptAsFarAsTheBudgetAllows_andGivenBack() throws IOException {
    int pages = 20;
    int entries = pages * EntryTable.PAGE_ENTRIES;
    PageBudget budget = new PageBudget(12);
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0, budget);
    for (int i = 0; i < entries; i++) {
      index.append(10L * (i + 1), i + 1);
    }
    index.flush();
    for (int round = 0; round < 2; round++) {
      for (int page = 0; page < pages; page++) {
        index.floorEntry(10L * (page * EntryTable.PAGE_ENTRIES + 100));
      }
    }
    assertThat(budget.pagesUsed()).isEqualTo(12);

    int before = file.readCount();
    Random random = new Random(3);
    for (int i = 0; i < 1_000; i++) {
      int entry = random.nextInt(12 * EntryTable.PAGE_ENTRIES);
      assertThat(index.floorEntry(10L * (entry + 1) + random.nextInt(10))).isEqualTo(entry);
      assertThat(index.position(entry)).isEqualTo(entry + 1);
    }
    assertThat(file.readCount()).as("reads for pages that are kept").isEqualTo(before);

    index.truncateTo(10L * 700);
    assertThat(budget.pagesUsed()).isLessThanOrEqualTo(2);
    index.floorEntry(10L * 100);
    assertThat(budget.pagesUsed()).isPositive();
    index.close();
    assertThat(budget.pagesUsed()).isZero();
  }

  @Test
  void firstKeysOfPagesAreForgottenWithATruncation() throws IOException {
    int pages = 8;
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0);
    for (int i = 0; i < pages * EntryTable.PAGE_ENTRIES; i++) {
      index.append(10L * (i + 1), i + 1);
    }
    index.flush();
    for (int page = 0; page < pages; page++) {
      index.floorEntry(10L * (page * EntryTable.PAGE_ENTRIES + 1));
    }
    index.truncateTo(10L * (EntryTable.PAGE_ENTRIES + 2));
    for (int i = EntryTable.PAGE_ENTRIES + 1; i < pages * EntryTable.PAGE_ENTRIES; i++) {
      index.append(100_000L + 10L * i, i + 1);
    }
    index.flush();

    for (int i = EntryTable.PAGE_ENTRIES + 1; i < pages * EntryTable.PAGE_ENTRIES; i++) {
      assertThat(index.floorEntry(100_000L + 10L * i)).isEqualTo(i);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void floorEqualsAScan(long seed) throws IOException {
    Random random = new Random(seed);
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, BASE);
    TreeMap<Long, Integer> model = new TreeMap<>();
    long offset = BASE;
    int position = 0;
    for (int i = 0; i < 5_000; i++) {
      offset += 1 + random.nextInt(50);
      position += 1 + random.nextInt(5_000);
      index.append(offset, position);
      model.put(offset, position);
      if (random.nextInt(300) == 0) {
        index.flush();
      }
      if (random.nextInt(500) == 0) {
        index.close();
        index = OffsetIndex.open(file, BASE);
      }
      if (random.nextInt(700) == 0) {
        long cut = offset - random.nextInt(2_000);
        index.truncateTo(cut);
        model.tailMap(cut, true).clear();
        offset = model.isEmpty() ? BASE : model.lastKey();
        position = model.isEmpty() ? 0 : model.lastEntry().getValue();
        assertThat(index.lastOffset()).as("seed %d", seed).isEqualTo(offset);
        assertThat(index.lastPosition()).as("seed %d", seed).isEqualTo(position);
      }
      for (int lookups = 0; lookups < 3; lookups++) {
        long target = BASE - 5 + (long) (random.nextDouble() * (offset - BASE + 20));
        assertFloor(index, model, target, seed);
      }
    }
    assertThat(index.count()).as("seed %d", seed).isEqualTo(model.size());
  }

  private static void assertFloor(
      OffsetIndex index, TreeMap<Long, Integer> model, long target, long seed) throws IOException {
    Map.Entry<Long, Integer> expected = model.floorEntry(target);
    int entry = index.floorEntry(target);
    if (expected == null) {
      assertThat(entry).as("seed %d, target %d", seed, target).isEqualTo(-1);
    } else {
      assertThat(index.offset(entry))
          .as("seed %d, target %d", seed, target)
          .isEqualTo(expected.getKey());
      assertThat(index.position(entry)).as("seed %d", seed).isEqualTo(expected.getValue());
    }
  }

  @Test
  void needsNoReadWhereTheLastPageHoldsTheAnswer() throws IOException {
    MemoryIndexFile file = new MemoryIndexFile();
    try (OffsetIndex index = OffsetIndex.open(file, 0)) {
      for (int i = 1; i <= 100_000; i++) {
        index.append(i, i);
      }
    }
    OffsetIndex index = OffsetIndex.open(file, 0);
    index.floorEntry(51_300);
    int before = file.readCount();

    index.floorEntry(51_350);
    assertThat(file.readCount()).isEqualTo(before);

    index.floorEntry(99_000);
    // One look per halving of 196 pages, and the page itself.
    assertThat(file.readCount() - before).isLessThanOrEqualTo(9);
  }

  @Test
  @DisplayName(
      "IX-02 zeros behind the last entry don't count, and the next entry takes their place")
  void ix02_preallocatedFileThatWasNeverTrimmed() throws IOException {
    for (int entries = 0; entries <= 20; entries++) {
      ByteBuffer content = ByteBuffer.allocate(8 * 700);
      for (int i = 1; i <= entries; i++) {
        content.putInt(i * 10).putInt(i * 100);
      }
      MemoryIndexFile file = MemoryIndexFile.of(content.array());
      OffsetIndex index = OffsetIndex.open(file, BASE);

      assertThat(index.count()).isEqualTo(entries);
      assertThat(index.lastOffset()).isEqualTo(BASE + entries * 10L);

      index.append(BASE + entries * 10L + 1, entries * 100 + 1);
      index.trim();
      assertThat(file.content()).hasSize(8 * (entries + 1));
      assertThat(OffsetIndex.open(file, BASE).count()).isEqualTo(entries + 1);
    }
  }

  @Test
  void refusesHalfAnEntry() {
    byte[] content = ByteBuffer.allocate(13).putInt(7).putInt(70).array();

    assertThatThrownBy(() -> OffsetIndex.open(MemoryIndexFile.of(content), 0))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("memory.index has 13 bytes; expected a multiple of 8");
  }

  @Test
  void refusesALastEntryThatCantBeOne() {
    byte[] negative = ByteBuffer.allocate(8).putInt(-5).putInt(70).array();
    byte[] noPosition = ByteBuffer.allocate(8).putInt(5).putInt(0).array();

    assertThatThrownBy(() -> OffsetIndex.open(MemoryIndexFile.of(negative), 0))
        .isInstanceOf(CorruptIndexException.class)
        .hasMessageContaining("relative offset -5 and position 70");
    assertThatThrownBy(() -> OffsetIndex.open(MemoryIndexFile.of(noPosition), 0))
        .isInstanceOf(CorruptIndexException.class);
  }

  @Test
  void refusesEntriesThatDontRiseOrDontFit() throws IOException {
    OffsetIndex index = OffsetIndex.open(new MemoryIndexFile(), BASE);
    index.append(BASE + 10, 100);

    assertThatThrownBy(() -> index.append(BASE + 10, 200))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> index.append(BASE + 11, 100))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> index.append(BASE + 0x8000_0000L, 200))
        .isInstanceOf(IllegalArgumentException.class);
    index.append(BASE + 0x7fff_ffffL, 200);
    assertThat(index.count()).isEqualTo(2);
  }

  @Test
  @DisplayName("IX-07 an index of 8 entries is full with 8 entries")
  void ix07_isFull() throws IOException {
    OffsetIndex index = OffsetIndex.open(new MemoryIndexFile(), 0);
    for (int i = 1; i <= 7; i++) {
      index.append(i, i);
      assertThat(index.isFull(64, 0)).isFalse();
    }
    assertThat(index.isFull(64, 1)).isTrue();
    index.append(8, 8);
    assertThat(index.isFull(64, 0)).isTrue();
    assertThat(index.isFull(71, 0)).isTrue();
    assertThat(index.isFull(72, 0)).isFalse();
  }

  @Test
  void keepsItsEntriesWhereAFlushFails() throws IOException {
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0);
    index.append(10, 100);
    file.refuse(true);
    assertThatThrownBy(index::flush).isInstanceOf(IOException.class);
    assertThat(index.floorEntry(10)).isZero();

    file.refuse(false);
    index.flush();

    assertThat(file.content()).hasSize(8);
  }

  @Test
  void closesTheFileAlsoWhereTheLastWriteFails() throws IOException {
    MemoryIndexFile file = new MemoryIndexFile();
    OffsetIndex index = OffsetIndex.open(file, 0);
    index.append(10, 100);
    file.refuse(true);

    assertThatThrownBy(index::close).isInstanceOf(IOException.class);
    assertThat(file.isClosed()).isTrue();
  }

  @Test
  void readersSeeWholeEntriesWhileTheWriterAppends() throws Exception {
    OffsetIndex index = OffsetIndex.open(new MemoryIndexFile(), 0);
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(
            () -> {
              Random random = new Random(42);
              while (!done.get()) {
                int count = index.count();
                if (count > 0) {
                  assertEntryIsWhole(index, 1 + random.nextInt(count));
                }
              }
            });
    for (int i = 1; i <= 20_000; i++) {
      index.append(i * 3L, i * 7);
      if (i % 777 == 0) {
        index.flush();
      }
    }
    done.set(true);
    reader.get();
    assertThat(index.count()).isEqualTo(20_000);
  }

  private static void assertEntryIsWhole(OffsetIndex index, int number) {
    try {
      int entry = index.floorEntry(number * 3L);
      assertThat(entry).isEqualTo(number - 1);
      assertThat(index.offset(entry)).isEqualTo(number * 3L);
      assertThat(index.position(entry)).isEqualTo(number * 7);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
