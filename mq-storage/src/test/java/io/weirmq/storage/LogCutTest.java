package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cutting the end off, and what that means for those who read. Also the bound of open files. */
class LogCutTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  private static ByteBuffer batch(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .append(T + sequence, null, ByteBuffer.wrap(new byte[100]))
        .append(T + sequence, null, ByteBuffer.wrap(new byte[100]))
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 17, 18, 20, 33, 38, 39, 40, 50})
  void truncateTo_leavesWholeBatchesBelowTheOffset(int offset) throws IOException {
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(1_500).index(10_000, 300).build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 20; i++) {
        log.leaderEpoch(i / 5);
        log.append(batch(2 * i));
      }
      byte[] whole = log.readAll(0);
      int size = whole.length / 20;
      int kept = Math.min(20, offset / 2);
      LogSlice held = log.reader().read(0, whole.length, 40, true);
      byte[] heldBefore = new byte[held.lengthBytes()];
      held.readFully(ByteBuffer.wrap(heldBefore));

      log.writer().truncateTo(offset);

      assertThat(log.reader().logEndOffset()).isEqualTo(kept * 2L);
      assertThat(log.reader().highWatermark()).isEqualTo(kept * 2L);
      assertThat(log.readAll(0)).isEqualTo(Arrays.copyOf(whole, kept * size));
      assertThat(log.reader().findByTimestamp(T + kept * 2L, 1_000)).isEmpty();
      assertThat(log.reader().latestEpoch()).isEqualTo(kept == 0 ? -1 : (kept - 1) / 5);
      byte[] heldAfter = new byte[held.lengthBytes()];
      held.readFully(ByteBuffer.wrap(heldAfter));
      assertThat(heldAfter).as("what is held is not shortened").isEqualTo(heldBefore);
      held.release();

      log.leaderEpoch(9);
      assertThat(log.append(batch(kept * 2)))
          .as("the producer's state went back too")
          .isEqualTo(new AppendResult.Appended(kept * 2L, kept * 2L + 1, -1, 0));
      assertThat(log.baseOffsets(kept * 2L, 1, kept * 2L + 2)).containsExactly(kept * 2L);
      byte[] after = log.readAll(0);
      folder.reopen();
      assertThat(folder.log().readAll(0)).isEqualTo(after);
      assertThat(folder.log().reader().endOffsetOfEpoch(9, 10))
          .isEqualTo(new EpochEndOffset(9, kept * 2L + 2));
    }
  }

  @Test
  void openFilesAreBounded_andNoneIsLeftAfterClosing() throws IOException {
    FaultyFileSystem files = new FaultyFileSystem();
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(1_000).index(10_000, 200).build();
    LogDirectory directory =
        LogDirectories.open(
            temporary.resolve("data"),
            LogDirectoryOptions.of(1, "c").withOpenSegmentsMax(4),
            files,
            () -> java.time.Instant.ofEpochMilli(T));
    List<io.weirmq.storage.internal.AppendTarget> writers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      PartitionLog log = directory.create(new TopicPartition("t", i), UUID.randomUUID(), config);
      writers.add(((io.weirmq.storage.internal.WritableLog) log).appendTarget());
    }
    for (int round = 0; round < 60; round++) {
      for (var writer : writers) {
        writer.stage(TestLog.validated(batch(2 * round)), AppendOrigin.CLIENT, 0, T);
        writer.commit();
        writer.advanceHighWatermark(writer.log().logEndOffset());
      }
    }
    for (PartitionLog log : directory.logs()) {
      for (long offset = 0; offset < 120; offset += 7) {
        LogSlice slice = log.read(offset, 1, 120, true);
        assertThat(slice.firstOffset()).isEqualTo(offset / 2 * 2);
        slice.release();
        assertThat(log.findByTimestamp(T + offset / 2 * 2, 120))
            .map(TimestampedOffset::offset)
            .contains(offset / 2 * 2);
      }
    }
    assertThat(files.openCount()).isLessThanOrEqualTo(4 * 3);
    // One more is held while it is used, and one state file may be open beside it.
    assertThat(files.openCountMax()).isLessThanOrEqualTo(5 * 3 + 2);

    directory.close();
    assertThat(files.openCount()).isZero();
  }
}
