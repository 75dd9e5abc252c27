package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.storage.fixture.ConsumedRecord;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestCleaner;
import io.weirmq.storage.fixture.TestConsumer;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of compaction one by one; all of them together are in {@link CompactionModelTest}. */
class CompactionTest {

  private static final long T = TestFolder.NOW_MS;
  private static final long DAY = 24L * 60 * 60 * 1000;

  @TempDir Path temporary;

  private static LogConfig.Builder compacted() {
    return LogConfig.defaults().toBuilder().cleanupPolicy(true, false);
  }

  private TestFolder open(LogConfig.Builder config) throws StorageException {
    return TestFolder.open(temporary.resolve("data"), config.build());
  }

  private static TestCleaner cleaner(TestFolder folder) {
    return new TestCleaner(folder.clock(), CleanerOptions.defaults());
  }

  private static ByteBuffer record(long timestampMs, String key, String value) {
    return new RecordBatchBuilder()
        .append(timestampMs, TestLog.bytes(key), TestLog.bytes(value))
        .build();
  }

  private static ByteBuffer tombstone(long timestampMs, String key) {
    return new RecordBatchBuilder().append(timestampMs, TestLog.bytes(key), null).build();
  }

  private static List<Long> offsets(TestLog log) throws IOException {
    return TestConsumer.readAll(log.reader(), 10_000).stream().map(ConsumedRecord::offset).toList();
  }

  private static List<RecordBatch> batches(TestLog log) throws IOException {
    List<RecordBatch> batches = new ArrayList<>();
    ByteBuffer all = ByteBuffer.wrap(log.readAll(log.reader().logStartOffset()));
    BatchCursor cursor = new BatchCursor(all);
    while (cursor.next()) {
      batches.add(RecordBatch.at(all, cursor.batch().position()));
    }
    return batches;
  }

  @Test
  void keepsTheLastRecordOfEachKey_underItsOffset_andLeavesTheActiveSegmentAlone()
      throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T + 5, "b", "1"));
      log.append(record(T + 2, "a", "2"));
      log.append(record(T + 3, "c", "1"));
      log.writer().roll();
      log.append(record(T + 4, "a", "3"));

      CleaningResult.Cleaned cleaned = cleaner(folder).cleaned(log);

      assertThat(offsets(log)).containsExactly(1L, 2L, 3L, 4L);
      assertThat(cleaned.endOffset()).isEqualTo(4);
      assertThat(cleaned.recordsRead()).isEqualTo(4);
      assertThat(cleaned.recordsKept()).isEqualTo(3);
      assertThat(log.reader().logStartOffset()).isZero();
      assertThat(log.baseOffsets(0, 1, 5)).as("what is gone leads on").containsExactly(1L);
      assertThat(cleaner(folder).clean(log)).isEqualTo(new CleaningResult.NothingToDo());
      assertThat(log.reader().findMaxTimestamp()).map(TimestampedOffset::offset).contains(1L);

      folder.reopen();
      assertThat(offsets(folder.log())).containsExactly(1L, 2L, 3L, 4L);
      assertThat(cleaner(folder).clean(folder.log()))
          .as("the checkpoint tells where the new part begins")
          .isEqualTo(new CleaningResult.NothingToDo());
      assertThat(Files.readString(folder.path().resolve("cleaner-offset-checkpoint")))
          .isEqualTo("0\n1\norders 0 4\n");
    }
  }

  @Test
  void aBatchLosesRecordsOnly_andItsHeaderTellsTheTruth() throws IOException {
    for (CompressionType codec : CompressionType.values()) {
      try (TestFolder folder =
          TestFolder.open(temporary.resolve(codec.name()), compacted().build())) {
        TestLog log = folder.log();
        log.leaderEpoch(3);
        log.append(
            new RecordBatchBuilder()
                .compression(codec)
                .producer(9, (short) 2, 40)
                .append(T + 9, TestLog.bytes("a"), TestLog.bytes("old".repeat(100)))
                .append(T + 1, TestLog.bytes("b"), TestLog.bytes("kept".repeat(100)))
                .append(T + 2, TestLog.bytes("a"), TestLog.bytes("old".repeat(100)))
                .build());
        log.append(record(T, "a", "new"));
        log.writer().roll();
        log.append(record(T, "z", "active"));
        cleaner(folder).cleaned(log);

        RecordBatch batch = batches(log).get(0);
        assertThat(batch.baseOffset()).isZero();
        assertThat(batch.lastOffset()).isEqualTo(2);
        assertThat(batch.recordCount()).isEqualTo(1);
        assertThat(batch.maxTimestamp()).as("of what is left").isEqualTo(T + 1);
        assertThat(batch.producerId()).isEqualTo(9);
        assertThat(batch.baseSequence()).isEqualTo(40);
        assertThat(batch.lastSequence()).isEqualTo(42);
        assertThat(batch.partitionLeaderEpoch()).isEqualTo(3);
        assertThat(batch.compressionId()).isEqualTo(codec.id());
        assertThat(batch.hasDeleteHorizon()).isFalse();
        assertThat(TestConsumer.readAll(log.reader(), 10_000).get(0))
            .extracting(ConsumedRecord::offset, ConsumedRecord::timestampMs)
            .containsExactly(1L, T + 1);
      }
    }
  }

  @Test
  void aTombstoneStaysForDeleteRetentionMs_afterTheRunThatFirstMetIt() throws IOException {
    LogConfig.Builder config =
        compacted().compaction(CompactionConfig.defaults().withDeleteRetentionMs(DAY));
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      log.append(record(T - 7, "a", "1"));
      log.append(tombstone(T - 5, "a"));
      log.writer().roll();
      log.append(record(T, "x", "1"));
      folder.clock().set(T + 1_000);
      cleaner(folder).cleaned(log);

      RecordBatch batch = batches(log).get(0);
      assertThat(batch.hasDeleteHorizon()).isTrue();
      assertThat(batch.baseTimestamp()).as("the time of its removal").isEqualTo(T + 1_000 + DAY);
      assertThat(batch.maxTimestamp()).isEqualTo(T - 5);
      assertThat(TestConsumer.readAll(log.reader(), 10_000).get(0).timestampMs()).isEqualTo(T - 5);

      folder.clock().set(T + 1_000 + DAY - 1);
      log.writer().roll();
      log.append(record(T, "x", "2"));
      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(1L, 2L, 3L);
      assertThat(batches(log).get(0).baseTimestamp()).isEqualTo(T + 1_000 + DAY);

      folder.clock().set(T + 1_000 + DAY);
      log.writer().roll();
      log.append(record(T, "x", "3"));
      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(3L, 4L);
    }
  }

  @Test
  void markersGoLongAfterTheirData_andAbortedDataAtOnce() throws IOException {
    LogConfig.Builder config =
        compacted().compaction(CompactionConfig.defaults().withDeleteRetentionMs(DAY));
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      log.append(transactional(1, 0, "a", "aborted"));
      log.append(marker(1, false), AppendOrigin.COORDINATOR);
      log.append(transactional(2, 0, "a", "committed"));
      log.append(marker(2, true), AppendOrigin.COORDINATOR);
      log.append(transactional(2, 1, "a", "newer"));
      log.append(marker(2, true), AppendOrigin.COORDINATOR);
      log.append(transactional(1, 1, "b", "committed"));
      log.append(marker(1, true), AppendOrigin.COORDINATOR);
      next(log, 0);
      cleaner(folder).cleaned(log);
      assertThat(log.reader().abortedTransactions(0, 8))
          .as("who has read the data before must still be told")
          .hasSize(1);
      assertThat(batches(log))
          .extracting(RecordBatch::baseOffset)
          .containsExactly(1L, 3L, 4L, 5L, 6L, 7L, 8L);

      next(log, 1);
      cleaner(folder).cleaned(log);
      assertThat(log.reader().abortedTransactions(0, 8)).isEmpty();
      assertThat(batches(log))
          .extracting(RecordBatch::baseOffset, RecordBatch::hasDeleteHorizon)
          .as("markers stay without a limit while their data is there")
          .containsExactly(
              tuple(1L, true),
              tuple(3L, true),
              tuple(4L, false),
              tuple(5L, false),
              tuple(6L, false),
              tuple(7L, false),
              tuple(8L, false),
              tuple(9L, false));

      folder.clock().advance(DAY);
      next(log, 2);
      cleaner(folder).cleaned(log);
      assertThat(batches(log))
          .extracting(RecordBatch::baseOffset)
          .containsExactly(4L, 5L, 6L, 7L, 9L, 10L);
      assertThat(TestConsumer.readCommitted(log.reader(), 10_000))
          .extracting(ConsumedRecord::value)
          .startsWith(Optional.of("newer"), Optional.of("committed"));
    }
  }

  @Test
  void theMarkerOfAnEmptiedLastBatchStays_soThatNoTransactionIsLeftOpen() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(transactional(1, 0, "a", "aborted"));
      log.append(marker(1, false), AppendOrigin.COORDINATOR);
      for (int round = 0; round < 3; round++) {
        next(log, round);
        folder.clock().advance(2 * DAY);
        cleaner(folder).cleaned(log);
      }
      assertThat(batches(log).get(0).recordCount()).isZero();
      assertThat(batches(log).get(1).isControl()).isTrue();
      assertThat(log.reader().lastStableOffset()).isEqualTo(5);
    }
  }

  private static ByteBuffer transactional(long producer, int sequence, String key, String value) {
    return new RecordBatchBuilder()
        .producer(producer, (short) 0, sequence)
        .transactional()
        .append(T, TestLog.bytes(key), TestLog.bytes(value))
        .build();
  }

  private static ByteBuffer marker(long producer, boolean commit) {
    return RecordBatchBuilder.endTransaction(
        new EndTransactionMarker(commit, 1), producer, (short) 0, T);
  }

  /** Makes everything so far old enough to be compacted. */
  private static void next(TestLog log, int round) throws StorageException {
    log.writer().roll();
    log.append(record(T, "next", Integer.toString(round)));
  }

  @Test
  void anEmptiedLastBatchStillTellsTheSequence_alsoWithoutSnapshots() throws IOException {
    Path killed = temporary.resolve("killed");
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(
          new RecordBatchBuilder()
              .producer(5, (short) 1, 7)
              .append(T, TestLog.bytes("a"), TestLog.bytes("1"))
              .append(T, TestLog.bytes("b"), TestLog.bytes("1"))
              .build());
      log.append(record(T, "a", "2"));
      log.append(record(T, "b", "2"));
      next(log, 0);
      cleaner(folder).cleaned(log);
      assertThat(batches(log).get(0).recordCount()).isZero();
      TestFolder.copy(folder.path(), killed);
    }
    Path copy = killed.resolve(TestFolder.PARTITION.toString());
    try (var list = Files.list(copy)) {
      for (Path file : (Iterable<Path>) list::iterator) {
        if (file.toString().endsWith(".snapshot")) {
          Files.delete(file);
        }
      }
    }
    try (TestFolder folder = TestFolder.open(killed, compacted().build())) {
      folder.log().writer().advanceHighWatermark(5);
      assertThat(
              folder
                  .log()
                  .append(
                      new RecordBatchBuilder()
                          .producer(5, (short) 1, 7)
                          .append(T, TestLog.bytes("a"), TestLog.bytes("1"))
                          .append(T, TestLog.bytes("b"), TestLog.bytes("1"))
                          .build()))
          .as("a retry is known as one")
          .isInstanceOf(AppendResult.Duplicate.class);
      assertThat(
              folder
                  .log()
                  .append(
                      new RecordBatchBuilder()
                          .producer(5, (short) 1, 9)
                          .append(T, TestLog.bytes("a"), TestLog.bytes("3"))
                          .build()))
          .isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  void nothingAtOrAboveTheLastStableOffset_orYoungerThanTheLag() throws IOException {
    LogConfig.Builder config =
        compacted().compaction(CompactionConfig.defaults().withLags(60_000, 600_000));
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      LogCleaner cleaner = cleaner(folder).cleaner();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      log.writer().roll();
      log.append(transactional(1, 0, "b", "open"));
      log.writer().roll();
      log.append(record(T, "a", "3"));

      folder.clock().set(T + 59_999);
      assertThat(cleaner.need(log.reader()).dirtyBytes()).isZero();
      folder.clock().set(T + 60_000);
      assertThat(cleaner.need(log.reader()).dirtyBytes()).isPositive();
      assertThat(cleaner.need(log.reader()).isDue()).isTrue();
      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(1L, 2L, 3L);

      log.append(marker(1, true), AppendOrigin.COORDINATOR);
      folder.clock().set(T + 600_001);
      CleaningNeed need = cleaner.need(log.reader());
      assertThat(need.overdue()).isTrue();
      assertThat(need.rollDue()).as("the active segment has old records, too").isTrue();
    }
  }

  @Test
  @DisplayName("ST-12 segments that are more than 2^31 offsets apart are not put together")
  void st12_wideOffsets() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      long[] bases = {0, 5, 1L << 31, (1L << 31) + 7, 1L << 40, (1L << 40) + Integer.MAX_VALUE};
      for (long base : bases) {
        log.append(replicated(base, "key", "old"), AppendOrigin.REPLICATION);
        log.append(replicated(base + 1, "key-" + base, "kept"), AppendOrigin.REPLICATION);
        log.writer().roll();
      }
      long end = log.reader().logEndOffset();
      log.append(replicated(end, "key", "new"), AppendOrigin.REPLICATION);

      CleaningResult.Cleaned cleaned = cleaner(folder).cleaned(log);

      assertThat(cleaned.segmentsBefore()).isGreaterThanOrEqualTo(6);
      assertThat(cleaned.segmentsAfter()).isBetween(3, 6);
      List<Long> expected = new ArrayList<>();
      for (long base : bases) {
        expected.add(base + 1);
      }
      // The last one below the active segment, which is not looked at.
      expected.add(5, bases[5]);
      expected.add(end);
      assertThat(offsets(log)).isEqualTo(expected);
      folder.reopen();
      assertThat(offsets(folder.log())).isEqualTo(expected);
    }
  }

  private static ByteBuffer replicated(long offset, String key, String value) {
    return new RecordBatchBuilder()
        .baseOffset(offset)
        .leaderEpoch(0)
        .append(T, TestLog.bytes(key), TestLog.bytes(value))
        .build();
  }

  @Test
  @DisplayName("ST-12 output that is larger than segment.bytes is split")
  void st12_outputIsSplit() throws IOException {
    try (TestFolder folder = open(compacted().segmentBytes(1 << 20))) {
      TestLog log = folder.log();
      Random random = new Random(3);
      for (int i = 0; i < 200; i++) {
        byte[] value = new byte[500];
        random.nextBytes(value);
        log.append(
            new RecordBatchBuilder()
                .append(T + i, TestLog.bytes("key-" + i), ByteBuffer.wrap(value))
                .build());
      }
      log.append(record(T, "key-7", "new"));
      next(log, 0);
      byte[] before = log.readAll(8);
      log.writer().reconfigure(compacted().segmentBytes(10_000).build());

      CleaningResult.Cleaned cleaned = cleaner(folder).cleaned(log);

      assertThat(cleaned.segmentsBefore()).isEqualTo(1);
      assertThat(cleaned.segmentsAfter()).isBetween(10, 15);
      for (Path file : folder.logFiles(".log")) {
        assertThat(Files.size(file)).isLessThanOrEqualTo(10_000);
      }
      assertThat(log.readAll(8)).as("batches of which all stays are copied").isEqualTo(before);
      folder.reopen();
      assertThat(folder.log().readAll(8)).isEqualTo(before);
    }
  }

  @Test
  void aReaderOfTheOldSegmentsFinishes_andTheFilesGoAfterTheDelay() throws IOException {
    FaultyFileSystem files = new FaultyFileSystem();
    try (TestFolder folder =
        TestFolder.open(temporary.resolve("data"), compacted().build(), files)) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      byte[] before = log.read(0, 10_000, 2);
      LogSlice slice = log.reader().read(0, 10_000, 2, true);
      cleaner(folder).cleaned(log);

      ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
      slice.readFully(bytes);
      assertThat(bytes.array()).isEqualTo(before);
      slice.release();
      assertThat(offsets(log)).containsExactly(1L, 2L);
      assertThat(folder.logFiles(".deleted")).isNotEmpty();
      folder.directory().purgeDeleted(T + 60_000);
      assertThat(folder.logFiles(".deleted")).isEmpty();
      assertThat(folder.logFiles(".swap")).isEmpty();
    }
    assertThat(files.openCount()).isZero();
  }

  @Test
  void aDamagedBatchEndsTheRun_isNamed_andNothingHasChanged() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      Path file = folder.logFiles(".log").get(0);
      int position = RecordBatch.of(ByteBuffer.wrap(Files.readAllBytes(file))).sizeInBytes();
      try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
        raw.seek(position + RecordBatch.HEADER_BYTES + 7);
        int old = raw.read();
        raw.seek(position + RecordBatch.HEADER_BYTES + 7);
        raw.write(old ^ 1);
      }
      byte[] before = Files.readAllBytes(file);

      assertThatThrownBy(() -> cleaner(folder).clean(log))
          .isInstanceOf(CorruptSegmentException.class)
          .hasMessageContaining(file.getFileName().toString())
          .hasMessageContaining("position " + position)
          .hasMessageContaining("offset 1");
      assertThat(Files.readAllBytes(file)).isEqualTo(before);
      assertThat(folder.logFiles(".cleaned")).isEmpty();
    }
  }

  @Test
  void anOffsetThatIsOutOfPlaceEndsTheRun_althoughNoChecksumCoversIt() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      Path file = folder.logFiles(".log").get(0);
      byte[] bytes = Files.readAllBytes(file);
      int position = RecordBatch.of(ByteBuffer.wrap(bytes)).sizeInBytes();
      bytes[position + 5] ^= 1;
      Files.write(file, bytes);

      assertThatThrownBy(() -> cleaner(folder).clean(log))
          .isInstanceOf(CorruptSegmentException.class)
          .hasMessageContaining("batch has offsets 65537..65537")
          .hasMessageContaining("below 2");
      assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    }
  }

  @Test
  void aDiskThatRefusesLeavesTheLogAsItWas_andTheNextRunSucceeds() throws IOException {
    FaultyFileSystem files = new FaultyFileSystem();
    try (TestFolder folder =
        TestFolder.open(temporary.resolve("data"), compacted().build(), files)) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      byte[] before = log.readAll(0);

      files.refuseWrites(path -> path.toString().endsWith(".log.cleaned"), 10);
      assertThatThrownBy(() -> cleaner(folder).clean(log))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("No space left");
      files.allowAll();
      files.refuseForce(path -> path.toString().endsWith(".cleaned"));
      assertThatThrownBy(() -> cleaner(folder).clean(log)).isInstanceOf(StorageException.class);
      files.allowAll();
      assertThat(log.readAll(0)).isEqualTo(before);
      assertThat(folder.logFiles(".cleaned")).isEmpty();

      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(1L, 2L);
    }
  }

  @Test
  void truncationBelowTheCompactedPartMakesItNewAgain_alsoAfterAKill() throws IOException {
    Path killed = temporary.resolve("killed");
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "b", "1"));
      log.append(record(T, "c", "1"));
      next(log, 0);
      cleaner(folder).cleaned(log);
      log.writer().truncateTo(2);
      log.append(record(T, "a", "2"));
      log.append(record(T, "b", "2"));
      log.append(record(T, "b", "3"));
      next(log, 1);
      TestFolder.copy(folder.path(), killed);
    }
    try (TestFolder folder = TestFolder.open(killed, compacted().build())) {
      folder.log().writer().advanceHighWatermark(6);
      CleaningResult.Cleaned cleaned = cleaner(folder).cleaned(folder.log());
      assertThat(cleaned.firstDirtyOffset()).isLessThanOrEqualTo(2);
      assertThat(offsets(folder.log())).containsExactly(2L, 4L, 5L);
    }
  }

  @Test
  void compactAndDelete_retentionAppliesToo() throws IOException {
    LogConfig.Builder config = compacted().cleanupPolicy(true, true).retentionMs(60_000);
    try (TestFolder folder = open(config)) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      log.writer().roll();
      log.append(record(T + 50_000, "b", "1"));
      log.writer().roll();
      log.append(record(T + 50_000, "c", "1"));
      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(1L, 2L, 3L);

      folder.clock().set(T + 110_001);
      log.writer().applyRetention(T + 110_001);
      assertThat(log.reader().logStartOffset()).isPositive();
      assertThat(log.append(record(T + 110_001, "d", "1")))
          .isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  void theBoundOfBytesPerSecondHolds() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      for (int i = 0; i < 100; i++) {
        log.append(record(T, "key-" + i % 50, "x".repeat(1_000)));
      }
      next(log, 0);
      TestCleaner cleaner =
          new TestCleaner(
              folder.clock(),
              CleanerOptions.defaults().withBytesPerSecondMax(10_000).withBufferBytes(4_096));
      CleaningResult.Cleaned cleaned = cleaner.cleaned(log);
      double seconds = (cleaned.bytesRead() + cleaned.bytesWritten()) / 10_000.0;
      assertThat(cleaner.pausedNanos() / 1e9).isBetween(seconds * 0.9, seconds);
    }
  }

  @Test
  void aRunThatIsStoppedLeavesNothingBehind() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      int[] looks = {0};
      CleaningResult result =
          cleaner(folder)
              .cleaner()
              .clean(log.reader(), TestCleaner.writer(log), () -> ++looks[0] > 2);
      assertThat(result).isInstanceOf(CleaningResult.Interrupted.class);
      assertThat(folder.logFiles(".cleaned")).isEmpty();
      assertThat(offsets(log)).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void aSegmentThatRetentionTakesMeanwhileInterruptsTheRun() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      log.append(record(T, "a", "1"));
      log.append(record(T, "a", "2"));
      next(log, 0);
      log.writer().roll();
      log.append(record(T, "b", "1"));
      int[] tasks = {0};
      WriterExecutor writer = TestCleaner.writer(log);
      CleaningResult result =
          cleaner(folder)
              .cleaner()
              .clean(
                  log.reader(),
                  new WriterExecutor() {
                    @Override
                    public <T> java.util.concurrent.CompletableFuture<T> execute(
                        LogAppender.WriterTask<T> task) {
                      if (tasks[0]++ == 1) {
                        try {
                          log.writer().deleteRecordsBefore(2);
                        } catch (StorageException e) {
                          throw new java.io.UncheckedIOException(e);
                        }
                      }
                      return writer.execute(task);
                    }
                  },
                  () -> false);
      assertThat(result).isInstanceOf(CleaningResult.Interrupted.class);
      assertThat(folder.logFiles(".cleaned")).isEmpty();
      assertThat(folder.logFiles(".swap")).isEmpty();
      assertThat(offsets(log)).containsExactly(2L, 3L);
      cleaner(folder).cleaned(log);
      assertThat(offsets(log)).containsExactly(2L, 3L);
    }
  }

  @Test
  @DisplayName("ST-14 delete-records inside a batch that compaction rewrites: the start stays")
  void st14_startInsideACompactedBatch() throws IOException {
    try (TestFolder folder = open(compacted())) {
      TestLog log = folder.log();
      RecordBatchBuilder ten = new RecordBatchBuilder();
      for (int i = 0; i < 10; i++) {
        ten.append(T, TestLog.bytes("key-" + i), TestLog.bytes("1"));
      }
      log.append(ten.build());
      log.append(record(T, "key-4", "2"));
      next(log, 0);
      log.writer().deleteRecordsBefore(4);
      cleaner(folder).cleaned(log);

      assertThat(log.reader().logStartOffset()).isEqualTo(4);
      assertThat(offsets(log)).containsExactly(5L, 6L, 7L, 8L, 9L, 10L, 11L);
      folder.reopen();
      assertThat(folder.log().reader().logStartOffset()).isEqualTo(4);
      assertThat(offsets(folder.log())).containsExactly(5L, 6L, 7L, 8L, 9L, 10L, 11L);
      assertThat(folder.log().baseOffsets(4, 10_000, 12)).containsExactly(0L, 10L);
    }
  }
}
