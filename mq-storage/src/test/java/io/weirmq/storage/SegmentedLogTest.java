package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appending and reading. */
class SegmentedLogTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  @Test
  void readsWhatWasAppended_alsoAfterReopening() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), LogConfig.defaults())) {
      AppendResult first = folder.log().append(T, T + 1, T + 2);
      AppendResult second = folder.log().append(T + 3);

      assertThat(first).isEqualTo(new AppendResult.Appended(0, 2, -1, 0));
      assertThat(second).isEqualTo(new AppendResult.Appended(3, 3, -1, 0));
      assertThat(folder.log().baseOffsets(0, 1000, 4)).containsExactly(0L, 3L);
      assertThat(folder.log().baseOffsets(3, 1000, 4)).containsExactly(3L);
      byte[] before = folder.log().readAll(0);

      folder.reopen();

      assertThat(folder.log().reader().logEndOffset()).isEqualTo(4);
      assertThat(folder.log().reader().highWatermark()).isEqualTo(4);
      assertThat(folder.log().readAll(0)).isEqualTo(before);
      assertThat(folder.log().append(T + 4)).isEqualTo(new AppendResult.Appended(4, 4, -1, 0));
      assertThat(folder.log().baseOffsets(0, 1000, 5)).containsExactly(0L, 3L, 4L);
    }
  }

  @Test
  void rollsBySize() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(1000).build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      for (int i = 0; i < 100; i++) {
        folder.log().appendSized(T + i, 100);
      }
      assertThat(folder.log().reader().segmentCount()).isEqualTo(20);
      byte[] before = folder.log().readAll(0);
      assertThat(before).hasSize((int) folder.log().reader().sizeBytes());
      for (long offset = 0; offset < 100; offset++) {
        assertThat(folder.log().baseOffsets(offset, 1, 100)).containsExactly(offset);
      }

      folder.reopen();

      assertThat(folder.log().reader().segmentCount()).isEqualTo(20);
      assertThat(folder.log().readAll(0)).isEqualTo(before);
      for (long offset = 0; offset < 100; offset++) {
        assertThat(folder.log().reader().findByTimestamp(T + offset, 100))
            .contains(new TimestampedOffset(offset, T + offset, 0));
      }
    }
  }
}
