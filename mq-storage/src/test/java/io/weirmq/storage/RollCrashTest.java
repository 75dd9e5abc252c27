package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A crash between the last records of a segment and the first of the next. */
class RollCrashTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  @ParameterizedTest(name = "ST-04 derived files of both segments are {0}")
  @ValueSource(strings = {"deleted", "emptied", "of the segment's first half"})
  @DisplayName("ST-04 crash at a roll")
  void st04_derivedFilesOfNeitherSegment(String state) throws IOException {
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(2_000).index(10_000, 200).build();
    Path path = temporary.resolve("data");
    byte[] whole;
    try (TestFolder folder = TestFolder.open(path, config)) {
      appendWithProducer(folder.log(), 40);
      assertThat(folder.log().reader().segmentCount()).isGreaterThan(2);
      whole = folder.log().readAll(0);
      TestFolder.copy(path, temporary.resolve("killed"));
    }
    damageDerivedFiles(temporary.resolve("killed/orders-0"), state);

    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), config)) {
      TestLog log = killed.log();
      assertThat(log.reader().logEndOffset()).isEqualTo(40);
      assertThat(log.readAll(0)).isEqualTo(whole);
      for (long offset = 0; offset < 40; offset++) {
        assertThat(log.baseOffsets(offset, 1, 40)).containsExactly(offset);
        assertThat(log.reader().findByTimestamp(T + offset, 40))
            .contains(new TimestampedOffset(offset, T + offset, 0));
      }
      assertThat(log.reader().producers())
          .containsExactly(new ProducerSummary(7, (short) 0, 39, T + 39, -1, -1));
      assertThat(log.append(batch(39)))
          .as("sent again")
          .isEqualTo(new AppendResult.Duplicate(39, 39, -1, 0));
      assertThat(log.append(batch(41))).isInstanceOf(AppendResult.Rejected.class);
      assertThat(log.append(batch(40))).isInstanceOf(AppendResult.Appended.class);
    }
  }

  private static void appendWithProducer(TestLog log, int count) throws StorageException {
    for (int i = 0; i < count; i++) {
      assertThat(log.append(batch(i))).isInstanceOf(AppendResult.Appended.class);
    }
  }

  private static ByteBuffer batch(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .append(T + sequence, null, ByteBuffer.wrap(new byte[100]))
        .build();
  }

  private static void damageDerivedFiles(Path folder, String state) throws IOException {
    List<Path> derived;
    try (Stream<Path> list = Files.list(folder)) {
      derived =
          list.filter(
                  file ->
                      file.toString().endsWith("index") || file.toString().endsWith(".snapshot"))
              .toList();
    }
    assertThat(derived).hasSizeGreaterThan(5);
    for (Path file : derived) {
      byte[] content = Files.readAllBytes(file);
      if (state.equals("deleted")) {
        Files.delete(file);
      } else if (state.equals("emptied")) {
        Files.write(file, new byte[0]);
      } else {
        Files.write(file, java.util.Arrays.copyOf(content, content.length / 2));
      }
    }
  }

  @Test
  @DisplayName("ST-04 an empty new segment is an end like any other")
  void st04_newSegmentIsEmpty() throws IOException {
    Path path = temporary.resolve("data");
    try (TestFolder folder = TestFolder.open(path, LogConfig.defaults())) {
      folder.log().append(T);
      folder.log().writer().roll();
      TestFolder.copy(path, temporary.resolve("killed"));
    }
    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), LogConfig.defaults())) {
      assertThat(killed.log().reader().segmentCount()).isEqualTo(2);
      assertThat(killed.log().append(T + 1)).isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
      assertThat(killed.log().baseOffsets(0, 1, 2)).containsExactly(0L);
      assertThat(killed.log().baseOffsets(1, 1, 2)).containsExactly(1L);
    }
  }

  @Test
  @DisplayName("ST-04 what lies behind a torn end in the unflushed part is set aside, loudly")
  void st04_tornEndOfTheOlderSegment() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(500).build();
    Path path = temporary.resolve("data");
    try (TestFolder folder = TestFolder.open(path, config)) {
      for (int i = 0; i < 10; i++) {
        folder.log().append(T + i);
      }
      TestFolder.copy(path, temporary.resolve("killed"));
    }
    Path second;
    try (Stream<Path> logs = Files.list(temporary.resolve("killed/orders-0"))) {
      second = logs.filter(file -> file.toString().endsWith(".log")).sorted().toList().get(1);
    }
    byte[] content = Files.readAllBytes(second);
    Files.write(second, java.util.Arrays.copyOf(content, content.length - 1));

    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), config)) {
      long end = killed.log().reader().logEndOffset();
      assertThat(end).isBetween(1L, 9L);
      assertThat(killed.log().reader().segmentCount()).isEqualTo(2);
      assertThat(killed.log().append(T)).isEqualTo(new AppendResult.Appended(end, end, -1, 0));
      killed.reopen();
      assertThat(killed.log().reader().logEndOffset()).isEqualTo(end + 1);
    }
  }
}
