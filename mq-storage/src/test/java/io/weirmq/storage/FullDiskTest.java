package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.fixture.LogLines;
import io.weirmq.storage.fixture.SmallDisk;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ST-05, ST-06: a disk that is full, while appending and at the start. */
class FullDiskTest {

  private static final long T = TestFolder.NOW_MS;
  private static final long PRODUCER = 7;

  /** With 1 every byte has its turn, which takes minutes. */
  private static final int STRIDE_BYTES = Integer.getInteger("weirmq.fullDisk.strideBytes", 37);

  /** More than the whole scenario writes; the test asserts that. */
  private static final int SCENARIO_BYTES_MAX = 8_000;

  @TempDir Path temporary;

  private final SmallDisk disk = new SmallDisk();

  private static LogConfig config() {
    return LogConfig.defaults().toBuilder().segmentBytes(500).index(1 << 10, 0).build();
  }

  private static ByteBuffer batch(int sequence, String value) {
    return new RecordBatchBuilder()
        .producer(PRODUCER, (short) 0, sequence)
        .append(T + sequence, null, TestLog.bytes(value))
        .build();
  }

  private static ByteBuffer inTransaction(int sequence) {
    return new RecordBatchBuilder()
        .producer(PRODUCER + 1, (short) 0, sequence)
        .transactional()
        .append(T, null, TestLog.bytes("undecided"))
        .build();
  }

  private static ByteBuffer abort() {
    return RecordBatchBuilder.endTransaction(
        new EndTransactionMarker(false, 3), PRODUCER + 1, (short) 0, T);
  }

  /** What was told to be in the log, and what is therefore expected of it. */
  private static final class Told {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<Long> aborts = new ArrayList<>();
    private int sequence;
    private int transactionSequence;
    private long transactionFirst = -1;
    private long endOffset;
    private int refused;
  }

  @Test
  void st05_atEveryByteTheLogStaysAsItWasTold_andWritesAgainWhenThereIsRoom() throws IOException {
    int refusedRuns = 0;
    for (int budget = 0; ; budget += STRIDE_BYTES) {
      Path folder = temporary.resolve("run");
      if (runOutOfSpaceAfter(budget, folder) == 0) {
        break;
      }
      refusedRuns++;
      assertThat(budget).as("budget at which the scenario fits").isLessThan(SCENARIO_BYTES_MAX);
      delete(folder);
    }
    assertThat(refusedRuns * STRIDE_BYTES).isGreaterThan(2_000);
  }

  /** Returns how many steps were refused. */
  private int runOutOfSpaceAfter(int budget, Path path) throws IOException {
    disk.bytesLeft(Long.MAX_VALUE);
    String seed = "budget of " + budget + " bytes";
    Told told = new Told();
    TestFolder folder = TestFolder.open(path.resolve("data"), config(), disk);
    TestLog log = folder.log();
    append(folder, told, batch(0, "first"), AppendOrigin.CLIENT);
    disk.bytesLeft(budget);
    for (int step = 0; step < 24; step++) {
      step(folder, told, step);
      assertThat(log.readAll(0)).as("%s, step %d", seed, step).isEqualTo(told.bytes.toByteArray());
      assertThat(log.reader().logEndOffset()).as(seed).isEqualTo(told.endOffset);
      folder.clock().advance(1_000);
    }
    try (TestFolder killed = killedCopy(path.resolve("killed"))) {
      check(killed, told, seed + ", killed while full");
    }

    disk.bytesLeft(Long.MAX_VALUE);
    append(folder, told, batch(told.sequence, "there is room"), AppendOrigin.CLIENT);
    assertThat(log.reader().isWritable()).as(seed).isTrue();
    check(folder, told, seed);
    assertThat(log.append(batch(told.sequence - 1, "there is room")))
        .as(seed)
        .isInstanceOf(AppendResult.Duplicate.class);
    try (TestFolder killed = killedCopy(path.resolve("killed later"))) {
      check(killed, told, seed + ", killed later");
    }
    folder.reopen();
    check(folder, told, seed + ", stopped");
    folder.close();
    return told.refused;
  }

  @Test
  @DisplayName("ST-05 one line when a log becomes read-only and one when it is writable again")
  void st05_oneLinePerChangeOfState() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config(), disk);
        LogLines lines = new LogLines()) {
      Told told = new Told();
      for (int round = 1; round <= 2; round++) {
        append(folder, told, batch(told.sequence, "fits"), AppendOrigin.CLIENT);
        disk.bytesLeft(10);
        for (int i = 0; i < 100; i++) {
          assertThat(append(folder, told, batch(told.sequence, "full"), AppendOrigin.CLIENT))
              .isFalse();
          folder.clock().advance(100);
        }
        assertThat(lines.all()).as("lines of 100 refused appends").hasSize(2 * round - 1);
        assertThat(lines.all().get(2 * round - 2))
            .startsWith("ERROR orders-0 is read-only")
            .contains("No space left on device");
        assertThat(folder.log().readAll(0)).isEqualTo(told.bytes.toByteArray());

        disk.bytesLeft(Long.MAX_VALUE);
        folder.clock().advance(900);
        assertThat(append(folder, told, batch(told.sequence, "room"), AppendOrigin.CLIENT))
            .as("the first append a second after the last attempt")
            .isTrue();
        append(folder, told, batch(told.sequence, "more room"), AppendOrigin.CLIENT);
        assertThat(lines.all()).hasSize(2 * round);
        assertThat(lines.all().get(2 * round - 1))
            .startsWith("INFO orders-0 is writable again after 10900 ms");
      }
      assertThat(disk.refusalCount()).as("the disk was not asked for each").isLessThan(30);
    }
  }

  @Test
  void st06_aLogOpensOnAFullDisk_afterACleanStopAndAfterAKill() throws IOException {
    for (boolean cleanStop : new boolean[] {true, false}) {
      Path path = temporary.resolve(cleanStop ? "stopped" : "killed");
      Told told = new Told();
      TestFolder first = TestFolder.open(path, config(), disk);
      for (int step = 0; step < 24; step++) {
        step(first, told, step);
      }
      assertThat(told.refused).isZero();
      assertThat(told.aborts).hasSize(3);
      TestFolder second = first;
      if (cleanStop) {
        first.stop();
        disk.bytesLeft(0);
        second.start();
      } else {
        Path copy = temporary.resolve("killed copy");
        TestFolder.copy(path, copy);
        disk.bytesLeft(0);
        second = TestFolder.open(copy, config(), disk);
        first.closeAnyhow();
      }
      String when = cleanStop ? "stopped" : "killed";
      second.log().leaderEpoch(2);
      check(second, told, when);
      assertThat(append(second, told, batch(told.sequence, "x".repeat(200)), AppendOrigin.CLIENT))
          .as(when)
          .isFalse();
      assertThat(second.log().reader().isWritable()).as(when).isFalse();
      int before = second.log().reader().segmentCount();
      second.log().writer().advanceHighWatermark(told.endOffset);
      second.log().writer().reconfigure(config().toBuilder().retentionBytes(600).build());
      assertThat(second.log().writer().applyRetention(second.clock().millis()))
          .as(when)
          .isPositive();
      assertThat(second.log().reader().segmentCount()).isLessThan(before);
      second.clock().advance(LogConfig.defaults().fileDeleteDelayMs());
      second.directory().purgeDeleted(second.clock().millis());
      assertThat(disk.bytesLeft()).as(when).isPositive();
      assertThat(append(second, told, batch(told.sequence, "y"), AppendOrigin.CLIENT))
          .as("%s: there is room by itself", when)
          .isTrue();
      disk.bytesLeft(Long.MAX_VALUE);
      second.reopen();
      assertThat(second.log().reader().logEndOffset()).isEqualTo(told.endOffset);
      assertThat(second.log().baseOffsets(told.endOffset - 1, 1, told.endOffset))
          .containsExactly(told.endOffset - 1);
      second.close();
    }
  }

  @Test
  void st05_deleteRecordsFreesSpaceOnAFullDisk() throws IOException {
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config(), disk)) {
      Told told = new Told();
      for (int i = 0; i < 20; i++) {
        append(folder, told, batch(told.sequence, "value".repeat(10)), AppendOrigin.CLIENT);
      }
      disk.bytesLeft(0);

      assertThatThrownBy(() -> folder.log().writer().deleteRecordsBefore(11))
          .as("the exact offset can't be recorded yet")
          .isInstanceOf(StorageException.class);
      long start = folder.log().reader().logStartOffset();
      assertThat(start).as("whole segments went").isBetween(5L, 11L);

      folder.clock().advance(LogConfig.defaults().fileDeleteDelayMs());
      folder.directory().purgeDeleted(folder.clock().millis());
      assertThat(folder.log().writer().deleteRecordsBefore(11)).isEqualTo(11);
      disk.bytesLeft(Long.MAX_VALUE);
    }
  }

  private TestFolder killedCopy(Path target) throws IOException {
    TestFolder.copy(temporary.resolve("run/data"), target);
    return TestFolder.open(target, config());
  }

  private static void step(TestFolder folder, Told told, int step) throws IOException {
    TestLog log = folder.log();
    if (step == 5) {
      log.leaderEpoch(1);
    }
    if (step == 15) {
      log.leaderEpoch(2);
    }
    switch (step) {
      case 7, 12, 18 -> {
        long offset = told.endOffset;
        if (append(folder, told, inTransaction(told.transactionSequence), AppendOrigin.CLIENT)) {
          told.transactionSequence++;
          told.transactionFirst = told.transactionFirst < 0 ? offset : told.transactionFirst;
        }
      }
      case 9, 14, 20 -> {
        if (told.transactionFirst >= 0 && append(folder, told, abort(), AppendOrigin.COORDINATOR)) {
          told.aborts.add(told.transactionFirst);
          told.transactionFirst = -1;
        }
      }
      case 10 -> {
        try {
          log.writer().roll();
        } catch (StorageException e) {
          told.refused++;
        }
      }
      case 16 -> {
        try {
          log.writer().flush();
        } catch (StorageException e) {
          told.refused++;
        }
      }
      default ->
          append(
              folder,
              told,
              batch(told.sequence, "value".repeat(1 + step % 7)),
              AppendOrigin.CLIENT);
    }
  }

  private static boolean append(TestFolder folder, Told told, ByteBuffer batch, AppendOrigin origin)
      throws IOException {
    TestLog log = folder.log();
    AppendResult result;
    try {
      result = log.append(batch, origin);
    } catch (StorageException e) {
      result = new AppendResult.Failed(e);
    }
    if (result instanceof AppendResult.Failed) {
      told.refused++;
      return false;
    }
    assertThat(result).isInstanceOf(AppendResult.Appended.class);
    byte[] bytes = new byte[batch.remaining()];
    batch.get(batch.position(), bytes);
    told.bytes.writeBytes(bytes);
    told.endOffset++;
    if (origin == AppendOrigin.CLIENT && batch.getLong(43) == PRODUCER) {
      told.sequence++;
    }
    return true;
  }

  private static void check(TestFolder folder, Told told, String when) throws IOException {
    TestLog log = folder.log();
    assertThat(log.reader().logEndOffset()).as(when).isEqualTo(told.endOffset);
    assertThat(log.readAll(0)).as(when).isEqualTo(told.bytes.toByteArray());
    for (long offset = 0; offset < told.endOffset; offset++) {
      assertThat(log.baseOffsets(offset, 1, told.endOffset)).as(when).containsExactly(offset);
    }
    assertThat(log.reader().abortedTransactions(0, told.endOffset))
        .as(when)
        .extracting(AbortedTransaction::firstOffset)
        .containsExactlyElementsOf(told.aborts);
  }

  private static void delete(Path folder) throws IOException {
    try (var tree = Files.walk(folder)) {
      for (Path each : tree.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(each);
      }
    }
  }
}
