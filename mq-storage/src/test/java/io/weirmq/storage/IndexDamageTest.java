package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.LogLines;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes that are missing, too long, or wrong. */
class IndexDamageTest {

  private static final long T = TestFolder.NOW_MS;
  private static final int RECORDS = 60;

  private static final LogConfig CONFIG =
      LogConfig.defaults().toBuilder().segmentBytes(5_000).index(10_000, 300).build();

  @TempDir Path temporary;

  private TestFolder filled() throws IOException {
    TestFolder folder = TestFolder.open(temporary.resolve("data"), CONFIG);
    for (int i = 0; i < RECORDS; i++) {
      folder.log().appendSized(T + i, 150);
    }
    assertThat(folder.log().reader().segmentCount()).isGreaterThan(2);
    return folder;
  }

  private static void assertLookups(TestLog log) throws IOException {
    for (long offset = 0; offset < RECORDS; offset++) {
      assertThat(log.baseOffsets(offset, 1, RECORDS)).containsExactly(offset);
      assertThat(log.reader().findByTimestamp(T + offset, RECORDS))
          .contains(new TimestampedOffset(offset, T + offset, 0));
    }
    assertThat(log.reader().findMaxTimestamp())
        .contains(new TimestampedOffset(RECORDS - 1, T + RECORDS - 1, 0));
  }

  @ParameterizedTest(name = "IX-01 subset {0} of index, timeindex, first and last segments")
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  @DisplayName("IX-01 index gone")
  void ix01_missingIndexesAreMadeAnew(int subset) throws IOException {
    TestFolder folder = filled();
    folder.stop();
    byte[][] before = contents(folder);
    List<Path> indexes = indexes(folder);
    int deleted = 0;
    for (int i = 0; i < indexes.size(); i++) {
      if ((subset & (1 << (i % 3))) != 0) {
        Files.delete(indexes.get(i));
        deleted++;
      }
    }

    try (LogLines lines = new LogLines()) {
      folder.start();
      assertLookups(folder.log());
      folder.stop();
      assertThat(lines.all())
          .as("at most one line of information for each")
          .hasSizeBetween(1, deleted)
          .allMatch(line -> line.startsWith("INFO ") && line.contains("made anew"));
    }

    assertThat(contents(folder)).isDeepEqualTo(before);
    folder.start();
    folder.log().append(T + RECORDS);
    assertLookups2(folder.log());
    folder.close();
  }

  private static void assertLookups2(TestLog log) throws IOException {
    assertThat(log.baseOffsets(RECORDS, 1, RECORDS + 1)).containsExactly((long) RECORDS);
  }

  @Test
  @DisplayName("IX-02 preallocated and never trimmed: no rebuild, at no start")
  void ix02_untrimmedIndexes() throws IOException {
    TestFolder folder = filled();
    folder.stop();
    FileTime old = FileTime.fromMillis(1_000_000_000_000L);
    for (Path index : indexes(folder)) {
      byte[] content = Files.readAllBytes(index);
      Files.write(index, Arrays.copyOf(content, 1024 * 1024 / 24 * 24));
      Files.setLastModifiedTime(index, old);
    }
    for (int round = 0; round < 2; round++) {
      try (LogLines lines = new LogLines()) {
        folder.start();
        assertLookups(folder.log());
        folder.stop();
        assertThat(lines.all()).as("nothing worth a word").isEmpty();
      }
      for (Path index : indexes(folder)) {
        assertThat(Files.getLastModifiedTime(index)).isEqualTo(old);
      }
    }
    folder.start();
    folder.log().append(T + RECORDS);
    folder.stop();
    assertThat(indexes(folder).get(indexes(folder).size() - 1).toFile().length())
        .as("what is written is trimmed")
        .isLessThan(10_000);
  }

  @ParameterizedTest(name = "IX-03 entry {0} of each index lies")
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  @DisplayName("IX-03 plausible but wrong entries")
  void ix03_lyingEntries(int entry) throws IOException {
    TestFolder folder = filled();
    folder.stop();
    byte[][] before = contents(folder);
    for (int lie : new int[] {7, -7, 1_000, Integer.MAX_VALUE}) {
      for (Path index : folder.logFiles(".index")) {
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(index));
        if (content.limit() >= (entry + 1) * 8) {
          int at = entry * 8 + 4;
          content.putInt(at, lie == Integer.MAX_VALUE ? lie : content.getInt(at) + lie);
          Files.write(index, content.array());
        }
      }
      folder.start();
      assertLookups(folder.log());
      // The second look finds the indexes repaired, but for the active one.
      folder.log().writer().applyRetention(T);
      assertLookups(folder.log());
      folder.stop();
      assertThat(contents(folder)).as("lie %d", lie).isDeepEqualTo(before);
    }
  }

  @ParameterizedTest(name = "IX-03 entry {0} of each index is low enough to mislead the search")
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  @DisplayName("IX-03 entries out of order")
  void ix03_entriesOutOfOrder(int entry) throws IOException {
    TestFolder folder = filled();
    folder.stop();
    for (Path index : indexes(folder)) {
      boolean times = index.toString().endsWith(".timeindex");
      int entryBytes = times ? 12 : 8;
      ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(index));
      if (content.limit() > entry * entryBytes) {
        // A key below all others, so that a binary search goes on behind it.
        content.putInt(entry * entryBytes, 0);
        if (times) {
          content.putInt(entry * entryBytes + 4, 1);
        }
        Files.write(index, content.array());
      }
    }
    folder.start();
    assertLookups(folder.log());
    folder.log().append(T + RECORDS);
    assertLookups2(folder.log());
    folder.close();
  }

  @ParameterizedTest(name = "IX-03 time entry {0} lies")
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  @DisplayName("IX-03 plausible but wrong time entries")
  void ix03_lyingTimeEntries(int entry) throws IOException {
    TestFolder folder = filled();
    folder.stop();
    byte[][] before = contents(folder);
    for (int lie : new int[] {3, 1_000_000}) {
      for (Path index : folder.logFiles(".timeindex")) {
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(index));
        if (content.limit() >= (entry + 1) * 12) {
          content.putInt(entry * 12 + 8, content.getInt(entry * 12 + 8) + lie);
          Files.write(index, content.array());
        }
      }
      folder.start();
      assertLookups(folder.log());
      folder.log().writer().applyRetention(T);
      assertLookups(folder.log());
      folder.stop();
      assertThat(contents(folder)).as("lie %d", lie).isDeepEqualTo(before);
    }
  }

  private static List<Path> indexes(TestFolder folder) {
    return Stream.concat(folder.logFiles(".index").stream(), folder.logFiles(".timeindex").stream())
        .sorted()
        .toList();
  }

  private static byte[][] contents(TestFolder folder) throws IOException {
    List<Path> indexes = indexes(folder);
    byte[][] contents = new byte[indexes.size()][];
    for (int i = 0; i < contents.length; i++) {
      contents[i] = Files.readAllBytes(indexes.get(i));
    }
    return contents;
  }
}
