package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A flipped bit costs the batch that it is in; nothing else, and never silently. */
class DamagedBatchTest {

  private static final long T = TestFolder.NOW_MS;

  /**
   * With 1 every byte has its turn; an odd one reaches every bit, and every field of the header.
   */
  private static final int STRIDE_BYTES = Integer.getInteger("weirmq.damage.strideBytes", 7);

  private static final int BATCHES = 24;
  private static final int RECORDS = 3;

  @TempDir Path temporary;

  private Path original;
  private List<byte[]> truth;

  private static LogConfig config() {
    return LogConfig.defaults().toBuilder().segmentBytes(900).index(1 << 10, 300).build();
  }

  @BeforeEach
  void writeLog() throws IOException {
    original = temporary.resolve("original");
    truth = new ArrayList<>();
    try (TestFolder folder = TestFolder.open(original, config())) {
      TestLog log = folder.log();
      for (int i = 0; i < BATCHES; i++) {
        log.leaderEpoch(i / 10);
        RecordBatchBuilder builder = new RecordBatchBuilder();
        for (int j = 0; j < RECORDS; j++) {
          builder.append(T + i, null, TestLog.bytes("value " + i + "/" + j));
        }
        log.append(builder.build());
        truth.add(log.read((long) i * RECORDS, 1, (long) (i + 1) * RECORDS));
      }
      assertThat(log.reader().segmentCount()).isGreaterThan(2);
    }
  }

  @Test
  void everyBitCostsItsOwnBatch_andNoOther() throws IOException {
    List<Path> files;
    try (var list = Files.list(original.resolve("orders-0"))) {
      files = list.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
    int batchInFile = 0;
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      List<Integer> starts = starts(bytes);
      for (int position = 0; position < bytes.length; position += STRIDE_BYTES) {
        int bit = position * 5 % 8;
        int damaged = batchInFile + indexOf(starts, position);
        check(file.getFileName().toString(), position, bit, damaged);
      }
      batchInFile += starts.size();
    }
    assertThat(batchInFile).isEqualTo(BATCHES);
  }

  private void check(String name, int position, int bit, int damaged) throws IOException {
    String what = "%s, bit %d of byte %d".formatted(name, bit, position);
    Path run = temporary.resolve("run");
    TestFolder.copy(original, run);
    flip(run.resolve("orders-0").resolve(name), position, bit);
    try (TestFolder folder = TestFolder.open(run, config())) {
      TestLog log = folder.log();
      TreeSet<Integer> lost = new TreeSet<>();
      for (int batch = 0; batch < BATCHES; batch++) {
        long offset = (long) batch * RECORDS + batch % RECORDS;
        try {
          byte[] read = log.read(offset, 1, (long) BATCHES * RECORDS);
          assertThat(read).as("%s: batch %d", what, batch).isEqualTo(truth.get(batch));
        } catch (CorruptSegmentException e) {
          lost.add(batch);
          assertThat(e).hasMessageContaining(name).hasMessageContaining("position");
        }
      }
      assertThat(lost).as(what).containsExactly(damaged);
      checkScans(log, what, damaged);
      checkTimes(log, what, damaged);
    }
    delete(run);
  }

  /** A reader from the start gets all in front of the damage in order, then is told. */
  private void checkScans(TestLog log, String what, int damaged) throws IOException {
    long next = 0;
    while (next < (long) damaged * RECORDS) {
      BatchCursor cursor = new BatchCursor(ByteBuffer.wrap(log.read(next, 10_000, 72)));
      long before = next;
      while (cursor.next()) {
        assertThat(cursor.batch().baseOffset()).as(what).isEqualTo(next);
        next = cursor.batch().nextOffset();
      }
      assertThat(next).as(what).isGreaterThan(before);
    }
    assertThat(next).as(what).isEqualTo((long) damaged * RECORDS);
    long stuck = next;
    assertThatThrownBy(() -> log.read(stuck, 10_000, 72), "%s: offset %d", what, stuck)
        .isInstanceOf(CorruptSegmentException.class);
  }

  private static void checkTimes(TestLog log, String what, int damaged) throws IOException {
    for (int batch : new int[] {0, damaged - 1, damaged, damaged + 1, BATCHES - 1}) {
      if (batch >= 0 && batch < BATCHES) {
        var found = log.reader().findByTimestamp(T + batch, 72).map(TimestampedOffset::offset);
        int expected = batch == damaged ? batch + 1 : batch;
        if (expected < BATCHES) {
          assertThat(found).as("%s: time of %d", what, batch).contains((long) expected * RECORDS);
        } else {
          assertThat(found).as("%s: time of %d", what, batch).isEmpty();
        }
      }
    }
  }

  private static List<Integer> starts(byte[] bytes) throws IOException {
    List<Integer> starts = new ArrayList<>();
    BatchCursor cursor = new BatchCursor(ByteBuffer.wrap(bytes));
    int start = 0;
    while (cursor.next()) {
      starts.add(start);
      start += cursor.batch().sizeInBytes();
    }
    return starts;
  }

  private static int indexOf(List<Integer> starts, int position) {
    int index = 0;
    while (index + 1 < starts.size() && starts.get(index + 1) <= position) {
      index++;
    }
    return index;
  }

  private static void flip(Path file, int position, int bit) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[position] ^= (byte) (1 << bit);
    Files.write(file, bytes);
  }

  private static void delete(Path folder) throws IOException {
    try (var tree = Files.walk(folder)) {
      for (Path each : tree.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(each);
      }
    }
  }

  @Test
  void aSealedSegmentThatSomebodyShortens_isReadAsFarAsItGoes_andNeverPromisedWhole()
      throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(900_000).build();
    try (TestFolder folder = TestFolder.open(temporary.resolve("live"), config)) {
      TestLog log = folder.log();
      for (int i = 0; i < 10; i++) {
        log.appendSized(T + i, 200_000);
      }
      Path first = folder.logFiles(".log").get(0);
      int size = (int) Files.size(first);
      assertThat(log.baseOffsets(0, size, 10)).containsExactly(0L, 1L, 2L, 3L);
      long kept = size / 2 + 70_000L; // two whole batches, and a part of one

      try (FileChannel channel = FileChannel.open(first, StandardOpenOption.WRITE)) {
        channel.truncate(kept);
      }

      assertThat(log.read(0, size, 10)).hasSize((int) kept);
      assertThat(log.baseOffsets(0, size, 10)).containsExactly(0L, 1L);
      assertThat(log.baseOffsets(1, size, 10)).containsExactly(1L);
      for (long offset : new long[] {2, 3}) {
        assertThatThrownBy(() -> log.read(offset, size, 10))
            .isInstanceOf(StorageException.class)
            .hasMessageContaining(first.toString());
      }
      assertThat(log.baseOffsets(4, 1, 10)).containsExactly(4L);
    }
  }
}
