package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups by time. */
class TimestampLookupTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  @ParameterizedTest(name = "IX-04 seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @DisplayName("IX-04 the first record at or above a time is exact, whatever order the times have")
  void ix04_equalsAScan(long seed) throws IOException {
    Random random = new Random(seed);
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(2_000)
            .segmentMs(Long.MAX_VALUE, 0)
            .index(10_000, 200)
            .build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      List<Long> times = new ArrayList<>();
      while (times.size() < 400) {
        appendBatch(folder.log(), random, times);
      }
      for (int round = 0; round < 125; round++) {
        long target = T - 5 + random.nextInt(1_010);
        long limit = random.nextInt(4) == 0 ? random.nextInt(times.size()) : times.size();
        assertThat(folder.log().reader().findByTimestamp(target, limit))
            .as("seed %d, time T%+d, limit %d", seed, target - T, limit)
            .isEqualTo(scan(times, 0, target, limit));
      }
      assertThat(folder.log().reader().findMaxTimestamp())
          .as("seed %d", seed)
          .isEqualTo(scanMax(times, 0));

      long start = random.nextInt(times.size());
      folder.log().writer().deleteRecordsBefore(start);
      for (int round = 0; round < 60; round++) {
        long target = T - 5 + random.nextInt(1_010);
        assertThat(folder.log().reader().findByTimestamp(target, times.size()))
            .as("seed %d, time T%+d, start %d", seed, target - T, start)
            .isEqualTo(scan(times, start, target, times.size()));
      }
      assertThat(folder.log().reader().findMaxTimestamp())
          .as("seed %d, start %d", seed, start)
          .isEqualTo(scanMax(times, start));
    }
  }

  private static void appendBatch(TestLog log, Random random, List<Long> times)
      throws StorageException {
    List<CompressionType> codecs = List.of(CompressionType.values());
    RecordBatchBuilder builder =
        new RecordBatchBuilder().compression(codecs.get(random.nextInt(codecs.size())));
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      long time = T + random.nextInt(1_000);
      times.add(time);
      builder.append(time, null, TestLog.bytes("record " + times.size()));
    }
    assertThat(log.append(builder.build())).isInstanceOf(AppendResult.Appended.class);
  }

  private static Optional<TimestampedOffset> scan(
      List<Long> times, long start, long target, long limit) {
    for (int i = (int) start; i < limit; i++) {
      if (times.get(i) >= target) {
        return Optional.of(new TimestampedOffset(i, times.get(i), 0));
      }
    }
    return Optional.empty();
  }

  private static Optional<TimestampedOffset> scanMax(List<Long> times, long start) {
    Optional<TimestampedOffset> max = Optional.empty();
    for (int i = (int) start; i < times.size(); i++) {
      if (max.isEmpty() || times.get(i) > max.get().timestampMs()) {
        max = Optional.of(new TimestampedOffset(i, times.get(i), 0));
      }
    }
    return max;
  }

  @Test
  void withLogAppendTimeAllRecordsOfABatchHaveItsTime() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().logAppendTime(true).build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      assertThat(folder.log().append(5, 6, 7)).isEqualTo(new AppendResult.Appended(0, 2, T, 0));
      folder.clock().advance(10);
      folder.log().append(8, 9);

      assertThat(folder.log().reader().findByTimestamp(T, 5))
          .contains(new TimestampedOffset(0, T, 0));
      assertThat(folder.log().reader().findByTimestamp(T + 1, 5))
          .contains(new TimestampedOffset(3, T + 10, 0));
      assertThat(folder.log().reader().findMaxTimestamp())
          .contains(new TimestampedOffset(3, T + 10, 0));
    }
  }

  @Test
  @DisplayName("CC-07 earliest, latest, by time and their epochs")
  void cc07_epochsAreThoseOfTheRecords() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      TestLog log = folder.log();
      assertThat(log.reader().findByTimestamp(0, 100)).isEmpty();
      assertThat(log.reader().findMaxTimestamp()).isEmpty();
      assertThat(log.reader().latestEpoch()).isEqualTo(-1);
      assertThat(log.reader().epochOfOffset(0)).isEqualTo(-1);

      for (int epoch : new int[] {1, 4, 6}) {
        log.writer().beginEpoch(epoch);
        log.leaderEpoch(epoch);
        log.append(T + epoch * 10L, T + epoch * 10L + 1);
      }
      log.writer().beginEpoch(9);

      assertThat(log.reader().epochOfOffset(log.reader().logStartOffset())).isEqualTo(1);
      assertThat(log.reader().findByTimestamp(T, 6)).contains(new TimestampedOffset(0, T + 10, 1));
      assertThat(log.reader().findByTimestamp(T + 12, 6))
          .contains(new TimestampedOffset(2, T + 40, 4));
      assertThat(log.reader().findByTimestamp(T + 61, 6))
          .contains(new TimestampedOffset(5, T + 61, 6));
      assertThat(log.reader().findByTimestamp(T + 62, 6)).isEmpty();
      assertThat(log.reader().findByTimestamp(T + 61, 5)).as("behind the visible end").isEmpty();
      assertThat(log.reader().findMaxTimestamp()).contains(new TimestampedOffset(5, T + 61, 6));
      assertThat(log.reader().latestEpoch()).isEqualTo(9);

      assertThat(log.reader().endOffsetOfEpoch(1, 9)).isEqualTo(new EpochEndOffset(1, 2));
      assertThat(log.reader().endOffsetOfEpoch(3, 9)).isEqualTo(new EpochEndOffset(1, 2));
      assertThat(log.reader().endOffsetOfEpoch(6, 9)).isEqualTo(new EpochEndOffset(6, 6));
      assertThat(log.reader().endOffsetOfEpoch(9, 9)).isEqualTo(new EpochEndOffset(9, 6));
      assertThat(log.reader().endOffsetOfEpoch(0, 9)).isEqualTo(new EpochEndOffset(0, 0));
      assertThat(log.reader().endOffsetOfEpoch(10, 9)).isEqualTo(EpochEndOffset.UNDEFINED);

      folder.reopen();
      assertThat(folder.log().reader().epochOfOffset(3)).isEqualTo(4);
      assertThat(folder.log().reader().endOffsetOfEpoch(4, 9)).isEqualTo(new EpochEndOffset(4, 4));
    }
  }
}
