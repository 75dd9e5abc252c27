package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When segments go, and when they are rolled. */
class RetentionTest {

  private static final long T = TestFolder.NOW_MS;
  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;

  @TempDir Path temporary;

  private static LogConfig.Builder small() {
    return LogConfig.defaults().toBuilder().segmentBytes(1_000).retentionMs(-1);
  }

  private TestFolder open(LogConfig config) throws StorageException {
    return TestFolder.open(temporary.resolve("data"), config);
  }

  /** Five batches of 100 bytes fill a segment. */
  private static void fill(TestLog log, int count, long firstMs, long stepMs)
      throws StorageException {
    for (int i = 0; i < count; i++) {
      log.appendSized(firstMs + i * stepMs, 120);
    }
  }

  @Test
  void bySize_removesFromTheFrontUntilTheRestIsSmallEnough() throws IOException {
    try (TestFolder folder = open(small().retentionBytes(2_000).build())) {
      TestLog log = folder.log();
      fill(log, 50, T, 1);
      long before = log.reader().sizeBytes();
      int removed = log.writer().applyRetention(T);

      assertThat(removed).isPositive();
      assertThat(log.reader().sizeBytes()).isBetween(2_000L, 3_000L);
      assertThat(before).isGreaterThan(8_000);
      assertThat(log.reader().logStartOffset()).isEqualTo(removed * 5L);
      assertThatThrownBy(() -> log.reader().read(0, 100, 50, true))
          .isInstanceOf(OffsetOutOfRangeException.class);
      assertThat(log.writer().applyRetention(T)).isZero();

      folder.reopen();
      assertThat(folder.log().reader().logStartOffset()).isEqualTo(removed * 5L);
    }
  }

  @Test
  void byTime_neverRemovesAtOrAboveTheHighWatermark() throws IOException {
    try (TestFolder folder = open(small().retentionMs(HOUR).build())) {
      TestLog log = folder.log();
      for (int i = 0; i < 20; i++) {
        log.appendOnly(
            new RecordBatchBuilder()
                .append(T, null, java.nio.ByteBuffer.wrap(new byte[120]))
                .build(),
            AppendOrigin.CLIENT);
      }
      log.writer().advanceHighWatermark(7);

      assertThat(log.writer().applyRetention(T + 2 * HOUR)).isEqualTo(1);
      assertThat(log.reader().logStartOffset()).isEqualTo(5);

      log.writer().advanceHighWatermark(20);
      log.writer().applyRetention(T + 2 * HOUR);
      assertThat(log.reader().logStartOffset()).isEqualTo(20);
      assertThat(log.reader().segmentCount()).isEqualTo(1);
      assertThat(log.append(T)).isEqualTo(new AppendResult.Appended(20, 20, -1, 20));
    }
  }

  @Test
  void byTime_leavesACompactedLogAlone() throws IOException {
    try (TestFolder folder =
        open(small().retentionMs(HOUR).retentionBytes(10).cleanupPolicy(true, false).build())) {
      fill(folder.log(), 20, T, 1);
      assertThat(folder.log().writer().applyRetention(T + DAY)).isZero();
    }
  }

  @Test
  @DisplayName("IX-05 a record from the year 2286 does not keep its segment")
  void ix05_farFuture() throws IOException {
    try (TestFolder folder = open(small().retentionMs(DAY).build())) {
      TestLog log = folder.log();
      fill(log, 2, T, 1);
      log.append(9_999_999_999_999L);
      fill(log, 20, T, 1);
      for (Path file : folder.logFiles(".log")) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(T));
      }

      assertThat(log.writer().applyRetention(T + DAY - 1)).isZero();
      assertThat(log.reader().findByTimestamp(T + 1, 23))
          .as("lookups for others work")
          .map(TimestampedOffset::offset)
          .contains(1L);
      assertThat(log.reader().findByTimestamp(T + 100, 23))
          .map(TimestampedOffset::offset)
          .contains(2L);

      log.writer().applyRetention(T + DAY + HOUR);
      assertThat(log.reader().logStartOffset()).isEqualTo(23);
    }
  }

  @Test
  @DisplayName(
      "IX-05 as its only record, first or last: gone with the file's time, before and after a restart")
  void ix05_farFutureWhereverItIs() throws IOException {
    long year2286 = 9_999_999_999_999L;
    for (boolean restarted : new boolean[] {false, true}) {
      for (int at : new int[] {0, 2, 4}) {
        String where = "at %d, restarted %b".formatted(at, restarted);
        try (TestFolder folder =
            TestFolder.open(temporary.resolve(where), small().retentionMs(DAY).build())) {
          for (int i = 0; i < 15; i++) {
            folder.log().appendSized(i == at ? year2286 : T + i, 120);
          }
          assertThat(folder.log().baseOffsets(5, 1, 15)).containsExactly(5L);
          assertThat(folder.logFiles(".log")).as("five to a segment").hasSize(3);
          if (restarted) {
            folder.reopen();
            folder.log().writer().advanceHighWatermark(15);
          }
          for (Path file : folder.logFiles(".log")) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(T + HOUR));
          }

          TestLog log = folder.log();
          assertThat(log.reader().findByTimestamp(T + 100, 15))
              .as(where)
              .contains(new TimestampedOffset(at, year2286, 0));
          assertThat(log.reader().findByTimestamp(T + 7, 15))
              .as("%s: a later time is found in front, as in a scan", where)
              .contains(new TimestampedOffset(at, year2286, 0));
          assertThat(log.writer().applyRetention(T + HOUR + DAY)).as(where).isZero();
          assertThat(log.writer().applyRetention(T + HOUR + DAY + 1)).as(where).isPositive();
          assertThat(log.reader().logStartOffset()).as(where).isGreaterThanOrEqualTo(5);
          assertThat(log.reader().findByTimestamp(T + 100, 15)).as(where).isEmpty();
        }
      }
    }
  }

  @Test
  @DisplayName("IX-06 timestamps in seconds: no roll per record, no immediate removal")
  void ix06_seconds() throws IOException {
    try (TestFolder folder =
        open(LogConfig.defaults().toBuilder().retentionMs(DAY).segmentBytes(10_000).build())) {
      TestLog log = folder.log();
      fill(log, 200, T / 1000, 1);
      long bytes = log.reader().sizeBytes();
      assertThat((long) log.reader().segmentCount()).isLessThanOrEqualTo(bytes / 9_000 + 1);
      for (Path file : folder.logFiles(".log")) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(T));
      }

      assertThat(log.writer().applyRetention(T + HOUR)).isZero();
      assertThat(log.writer().applyRetention(T + DAY + HOUR)).isPositive();
    }
  }

  @Test
  @DisplayName("IX-06 10,000 records that alternate between two times ten years apart")
  void ix06_alternating() throws IOException {
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(200_000).retentionMs(-1).build();
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 10_000; i++) {
        log.append(i % 2 == 0 ? T : T - 3_650 * DAY);
      }
      assertFull(folder, 0);
    }
    // The other way round the second record is ten years above the first: one roll, then no more.
    try (TestFolder folder = TestFolder.open(temporary.resolve("old first"), config)) {
      for (int i = 0; i < 10_000; i++) {
        folder.log().append(i % 2 == 0 ? T - 3_650 * DAY : T);
      }
      assertFull(folder, 1);
      assertThat(folder.logFiles(".log").get(1).getFileName())
          .hasToString("00000000000000000001.log");
      folder.log().writer().reconfigure(config.toBuilder().retentionMs(DAY).build());
      assertThat(folder.log().writer().applyRetention(T + DAY))
          .as("only the first record is old on its own")
          .isEqualTo(1);
    }
    try (TestFolder folder = TestFolder.open(temporary.resolve("future"), config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 1_000; i++) {
        log.append(i % 2 == 0 ? 9_999_999_999_999L : T);
      }
      assertThat(log.reader().segmentCount()).isEqualTo(1);
    }
  }

  /** All segments but some at the front and the last are as full as batches of 80 bytes allow. */
  private static void assertFull(TestFolder folder, int atTheFront) throws IOException {
    java.util.List<Path> files = folder.logFiles(".log");
    assertThat(files).hasSameSizeAs(folder.logFiles(".index"));
    assertThat(files.size()).isEqualTo(folder.log().reader().segmentCount());
    long fullBytes = 0;
    for (Path file : files.subList(atTheFront, files.size() - 1)) {
      assertThat(Files.size(file)).as("%s", file).isBetween(199_900L, 200_000L);
      fullBytes += Files.size(file);
    }
    assertThat(fullBytes).isGreaterThan(500_000);
  }

  @Test
  void rollsWhenTheFirstBatchIsTooOld() throws IOException {
    try (TestFolder folder =
        open(LogConfig.defaults().toBuilder().segmentMs(HOUR, 0).retentionMs(-1).build())) {
      TestLog log = folder.log();
      log.append(T - 3 * HOUR);
      log.append(T - 2 * HOUR);
      assertThat(log.reader().segmentCount()).isEqualTo(1);
      log.append(T - 2 * HOUR + 1);
      assertThat(log.reader().segmentCount()).isEqualTo(2);

      // Without timestamps the wall clock counts.
      log.writer().roll();
      log.append(-1);
      folder.clock().advance(HOUR);
      log.append(-1);
      assertThat(log.reader().segmentCount()).isEqualTo(3);
      folder.clock().advance(1);
      log.append(-1);
      assertThat(log.reader().segmentCount()).isEqualTo(4);
    }
  }

  @Test
  @DisplayName("IX-07 a full index begins a new segment, and the producer notices nothing")
  void ix07_indexFull() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().index(64, 0).retentionMs(-1).build();
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 100; i++) {
        assertThat(log.append(T + i)).isEqualTo(new AppendResult.Appended(i, i, -1, 0));
      }
      // Five entries of 12 bytes fit a time index of 64, eight of 8 bytes an offset index.
      assertThat(log.reader().segmentCount()).isBetween(100 / 8, 100 / 4);
      for (Path index : folder.logFiles(".index")) {
        assertThat(Files.size(index)).isLessThanOrEqualTo(64);
      }
      for (Path index : folder.logFiles(".timeindex")) {
        assertThat(Files.size(index)).isLessThanOrEqualTo(64);
      }
      assertAllFound(log);
      folder.reopen();
      assertAllFound(folder.log());
    }
  }

  private static void assertAllFound(TestLog log) throws IOException {
    for (long offset = 0; offset < 100; offset++) {
      assertThat(log.baseOffsets(offset, 1, 100)).containsExactly(offset);
      assertThat(log.reader().findByTimestamp(T + offset, 100))
          .contains(new TimestampedOffset(offset, T + offset, 0));
    }
  }

  @Test
  @DisplayName("IX-07 an offset index of 8 entries: the ninth begins a new segment")
  void ix07_offsetIndexFull() throws IOException {
    // All records have one time, so that the time index has one entry a segment.
    LogConfig config = LogConfig.defaults().toBuilder().index(64, 0).retentionMs(-1).build();
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 40; i++) {
        assertThat(log.append(T)).isEqualTo(new AppendResult.Appended(i, i, -1, 0));
      }
      java.util.List<Path> indexes = folder.logFiles(".index");
      for (Path index : indexes.subList(0, indexes.size() - 1)) {
        assertThat(Files.size(index)).as("%s", index).isEqualTo(64);
      }
      // The first batch of a segment has no entry.
      assertThat(indexes)
          .extracting(file -> file.getFileName().toString())
          .startsWith("00000000000000000000.index", "00000000000000000009.index")
          .hasSize(5);
      for (long offset = 0; offset < 40; offset++) {
        assertThat(log.baseOffsets(offset, 1, 40)).containsExactly(offset);
      }
    }
  }

  @Test
  @DisplayName("IX-07 an offset at base + 2^31-1 stays, the next one begins a new segment")
  void ix07_offsetRange() throws IOException {
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(replicated(0, T), AppendOrigin.REPLICATION);
      log.append(replicated(Integer.MAX_VALUE, T + 1), AppendOrigin.REPLICATION);
      assertThat(log.reader().segmentCount()).isEqualTo(1);

      assertThat(log.append(replicated(1L << 31, T + 2), AppendOrigin.REPLICATION))
          .isEqualTo(new AppendResult.Appended(1L << 31, 1L << 31, -1, 0));
      assertThat(log.reader().segmentCount()).isEqualTo(2);
      assertThat(log.append(replicated(1L << 40, T + 3), AppendOrigin.REPLICATION))
          .isInstanceOf(AppendResult.Appended.class);
      assertThat(log.reader().segmentCount()).isEqualTo(3);

      assertWideOffsetsFound(log);
      folder.reopen();
      assertThat(folder.log().reader().segmentCount()).isEqualTo(3);
      assertWideOffsetsFound(folder.log());
    }
  }

  private static void assertWideOffsetsFound(TestLog log) throws IOException {
    long end = log.reader().logEndOffset();
    assertThat(end).isEqualTo((1L << 40) + 1);
    long[] offsets = {0, Integer.MAX_VALUE, 1L << 31, 1L << 40};
    for (int i = 0; i < offsets.length; i++) {
      assertThat(log.baseOffsets(offsets[i], 1, end)).containsExactly(offsets[i]);
      assertThat(log.reader().findByTimestamp(T + i, end))
          .contains(new TimestampedOffset(offsets[i], T + i, 5));
    }
    assertThat(log.baseOffsets(1, 1, end)).containsExactly((long) Integer.MAX_VALUE);
    assertThat(log.baseOffsets((1L << 31) + 1, 1, end)).containsExactly(1L << 40);
  }

  private static java.nio.ByteBuffer replicated(long offset, long timestampMs) {
    return new RecordBatchBuilder()
        .baseOffset(offset)
        .leaderEpoch(5)
        .append(timestampMs, null, TestLog.bytes("x"))
        .build();
  }

  @Test
  @DisplayName("ST-14 delete-records inside a batch: the start stays, and reads work there")
  void st14_deleteRecordsInsideABatch() throws IOException {
    Path killed = temporary.resolve("killed");
    try (TestFolder folder = open(LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(T, T, T, T, T, T, T, T, T, T);
      log.append(T + 1);

      assertThat(log.writer().deleteRecordsBefore(4)).isEqualTo(4);
      assertThat(log.writer().deleteRecordsBefore(2)).as("never goes back").isEqualTo(4);
      assertThatThrownBy(() -> log.writer().deleteRecordsBefore(12))
          .isInstanceOf(OffsetOutOfRangeException.class);
      TestFolder.copy(folder.path(), killed);

      folder.reopen();
      assertStartsAtFour(folder.log());
    }
    try (TestFolder folder = TestFolder.open(killed, LogConfig.defaults())) {
      assertStartsAtFour(folder.log());
      folder.log().writer().advanceHighWatermark(11);
      folder.log().writer().deleteRecordsBefore(11);
      assertThat(folder.log().reader().logStartOffset()).isEqualTo(11);
      folder.reopen();
      assertThat(folder.log().reader().logStartOffset()).isEqualTo(11);
      assertThat(folder.log().append(T)).isEqualTo(new AppendResult.Appended(11, 11, -1, 11));
    }
  }

  @Test
  @DisplayName("ST-14 a fresh follower begins with the batch around the start, and starts there")
  void st14_freshFollower() throws IOException {
    try (TestFolder leader = open(LogConfig.defaults());
        TestFolder follower =
            TestFolder.open(temporary.resolve("follower"), LogConfig.defaults())) {
      leader.log().append(T, T, T, T, T, T, T, T, T, T);
      leader.log().append(T + 1);
      leader.log().writer().deleteRecordsBefore(4);
      leader.reopen();
      byte[] fetched = leader.log().read(4, 10_000, 11);

      assertThat(follower.log().append(java.nio.ByteBuffer.wrap(fetched), AppendOrigin.REPLICATION))
          .isEqualTo(new AppendResult.Appended(0, 10, -1, 0));
      assertThat(follower.log().writer().deleteRecordsBefore(4)).isEqualTo(4);
      assertStartsAtFour(follower.log());
      follower.reopen();
      assertStartsAtFour(follower.log());
      assertThat(follower.log().read(4, 10_000, 11)).isEqualTo(fetched);
    }
  }

  private static void assertStartsAtFour(TestLog log) throws IOException {
    assertThat(log.reader().logStartOffset()).isEqualTo(4);
    assertThat(log.baseOffsets(4, 10_000, 11)).containsExactly(0L, 10L);
    assertThat(log.reader().findByTimestamp(T, 11)).map(TimestampedOffset::offset).contains(4L);
    assertThat(log.reader().epochOfOffset(4)).isZero();
    assertThatThrownBy(() -> log.reader().read(3, 100, 11, true))
        .isInstanceOf(OffsetOutOfRangeException.class)
        .hasMessageContaining("offset 3 of orders-0 is outside of 4..11");
  }

  @Test
  @DisplayName("ST-11 a slice of a removed segment stays readable; then its file is gone")
  void st11_sliceOfARemovedSegment() throws IOException {
    try (TestFolder folder = open(small().retentionBytes(0).fileDeleteDelayMs(60_000))) {
      TestLog log = folder.log();
      fill(log, 20, T, 1);
      byte[] before = log.read(0, 500, 20);
      LogSlice slice = log.reader().read(0, 500, 20, true);

      log.writer().applyRetention(T);
      assertThat(folder.logFiles(".deleted")).isNotEmpty();
      folder.directory().purgeDeleted(folder.clock().millis() + 59_999);
      assertThat(folder.logFiles(".deleted")).isNotEmpty();
      folder.directory().purgeDeleted(folder.clock().millis() + 60_000);
      assertThat(folder.logFiles(".deleted")).isEmpty();

      java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      assertThat(bytes.array()).isEqualTo(before);
      slice.release();
      assertThat(slice.channel().isOpen()).isFalse();
      assertThatThrownBy(slice::release).isInstanceOf(IllegalStateException.class);
    }
  }

  private TestFolder open(LogConfig.Builder builder) throws StorageException {
    return open(builder.build());
  }
}
