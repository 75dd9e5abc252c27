package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a read returns at the edges. */
class FetchRulesTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  @Test
  @DisplayName("CC-02 a limit smaller than the next batch still makes progress where asked for")
  void cc02_oneWholeBatchOverTheLimit() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      TestLog log = folder.log();
      log.appendSized(T, 1 << 19);
      int first = (int) log.reader().sizeBytes();
      log.appendSized(T, 100);
      int second = (int) log.reader().sizeBytes() - first;

      for (int max : new int[] {0, 1, 100, first - 1, first}) {
        assertThat(lengthOf(log, 0, max, true)).as("max %d", max).isEqualTo(first);
      }
      assertThat(lengthOf(log, 0, first + 1, true)).isEqualTo(first + 1);
      assertThat(lengthOf(log, 0, 1, false)).isEqualTo(1);
      assertThat(lengthOf(log, 0, 0, false)).isZero();
      assertThat(lengthOf(log, 0, -1, false)).isZero();
      assertThat(lengthOf(log, 1, 1, true)).isEqualTo(second);
      assertThat(lengthOf(log, 0, Integer.MAX_VALUE, false)).isEqualTo(first + second);
    }
  }

  private static int lengthOf(TestLog log, long offset, int max, boolean atLeastOne)
      throws IOException {
    LogSlice slice = log.reader().read(offset, max, log.reader().logEndOffset(), atLeastOne);
    int length = slice.lengthBytes();
    assertThat(slice.firstOffset()).isEqualTo(offset);
    slice.release();
    return length;
  }

  @Test
  @DisplayName("CC-03 offset inside a batch, in a hole, at the end, one beyond")
  void cc03_positions() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      TestLog log = folder.log();
      append(log, 0, 10);
      append(log, 50, 5);
      log.writer().roll();
      append(log, 1_000, 3);
      log.writer().roll();
      append(log, 5_000_000, 2);
      long end = log.reader().logEndOffset();
      assertThat(end).isEqualTo(5_000_002);

      for (int round = 0; round < 2; round++) {
        for (long inside : new long[] {0, 1, 5, 9}) {
          assertThat(log.baseOffsets(inside, 1, end)).as("%d", inside).containsExactly(0L);
        }
        for (long hole : new long[] {10, 11, 49, 50, 54}) {
          assertThat(log.baseOffsets(hole, 1, end)).as("%d", hole).containsExactly(50L);
        }
        for (long hole : new long[] {55, 999, 1_000, 1_002}) {
          assertThat(log.baseOffsets(hole, 1, end)).as("%d", hole).containsExactly(1_000L);
        }
        for (long hole : new long[] {1_003, 4_999_999, 5_000_000, 5_000_001}) {
          assertThat(log.baseOffsets(hole, 1, end)).as("%d", hole).containsExactly(5_000_000L);
        }
        assertThat(log.read(end, 1_000, end)).isEmpty();
        assertThatThrownBy(() -> log.reader().read(end + 1, 1_000, end, true))
            .isInstanceOf(OffsetOutOfRangeException.class)
            .satisfies(
                e -> {
                  OffsetOutOfRangeException range = (OffsetOutOfRangeException) e;
                  assertThat(range.offset()).isEqualTo(end + 1);
                  assertThat(range.logStartOffset()).isZero();
                  assertThat(range.logEndOffset()).isEqualTo(end);
                });
        assertThatThrownBy(() -> log.reader().read(-1, 1_000, end, true))
            .isInstanceOf(OffsetOutOfRangeException.class);
      }
    }
  }

  private static void append(TestLog log, long baseOffset, int count) throws StorageException {
    RecordBatchBuilder builder = new RecordBatchBuilder().baseOffset(baseOffset).leaderEpoch(1);
    for (int i = 0; i < count; i++) {
      builder.append(T, null, TestLog.bytes("r" + i));
    }
    assertThat(log.append(builder.build(), AppendOrigin.REPLICATION))
        .isEqualTo(new AppendResult.Appended(baseOffset, baseOffset + count - 1, -1, 0));
  }

  @Test
  @DisplayName("CC-03 nothing at or above the limit is returned")
  void cc03_limits() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(1_000).build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 30; i++) {
        log.append(T, T, T);
      }
      folder.reopen();
      TestLog reopened = folder.log();
      for (long limit = 0; limit <= 90; limit++) {
        long wholeBelow = limit / 3 * 3;
        for (long offset = 0; offset <= limit; offset++) {
          var offsets = reopened.baseOffsets(offset, 10_000, limit);
          if (offset < wholeBelow) {
            assertThat(offsets.get(0)).isEqualTo(offset / 3 * 3);
            assertThat(offsets.get(offsets.size() - 1)).isLessThanOrEqualTo(wholeBelow - 3);
          } else {
            assertThat(offsets).as("offset %d limit %d", offset, limit).isEmpty();
          }
        }
      }
      assertThat(reopened.baseOffsets(88, 10_000, 1_000)).containsExactly(87L);
    }
  }

  @Test
  void aSliceMayEndInsideABatch_andReadsExactlyItsRange() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      TestLog log = folder.log();
      log.append(T, T, T);
      log.append(T, T, T);
      byte[] whole = log.readAll(0);
      for (int max = 0; max <= whole.length; max++) {
        LogSlice slice = log.reader().read(0, max, 6, false);
        ByteBuffer target = ByteBuffer.allocate(whole.length + 10);
        slice.readFully(target);
        assertThat(target.position()).isEqualTo(max);
        assertThat(target.limit()).isEqualTo(whole.length + 10);
        assertThat(Arrays.copyOf(target.array(), max)).isEqualTo(Arrays.copyOf(whole, max));
        if (max > 0) {
          ByteBuffer direct = ByteBuffer.allocate(max);
          slice.channel().read(direct, slice.position());
          assertThat(direct.array()).isEqualTo(Arrays.copyOf(whole, max));
        }
        slice.release();
      }
    }
  }
}
