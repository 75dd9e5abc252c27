package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.check.PartitionChecker;
import io.weirmq.storage.fixture.ConsumedRecord;
import io.weirmq.storage.fixture.StepCountingFiles;
import io.weirmq.storage.fixture.TestCleaner;
import io.weirmq.storage.fixture.TestConsumer;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stops the process between any two steps of compaction, and of the restart that follows. */
class CompactionCrashTest {

  private static final long T = TestFolder.NOW_MS;
  private static final long DELETE_RETENTION_MS = 1_000;

  /** Restarts take long: they are stopped, too, at each so many steps of compaction. */
  private static final int RESTARTS_EACH_STEPS = 13;

  /** And there at each so many steps of their own. */
  private static final int RESTART_STEPS_EACH = 5;

  @TempDir Path temporary;

  private int copies;

  private static LogConfig config(int segmentBytes) {
    return LogConfig.defaults().toBuilder()
        .segmentBytes(segmentBytes)
        .index(10_000, 100)
        .cleanupPolicy(true, false)
        .compaction(CompactionConfig.defaults().withDeleteRetentionMs(DELETE_RETENTION_MS))
        .build();
  }

  /**
   * With the larger size all that is left goes into one segment. With the smaller one, in force
   * only for the compaction, output is split.
   */
  @ParameterizedTest(name = "segment.bytes {0}")
  @ValueSource(ints = {4_000, 700})
  @DisplayName("ST-13 a stop after each step: one generation is left, and the latest values")
  void st13_stopAfterEachStep(int compactedSegmentBytes) throws IOException {
    StepCountingFiles files = new StepCountingFiles();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config(1_500), files)) {
      fill(folder.log(), 0);
      compact(folder);
      // Tombstones and markers of the first run are due in the second.
      folder.clock().advance(2 * DELETE_RETENTION_MS);
      fill(folder.log(), 1);
      Map<String, String> expected = latest(folder.log());
      long end = folder.log().reader().logEndOffset();
      folder.log().writer().reconfigure(config(compactedSegmentBytes));

      files.onStep(
          step -> {
            Path killed = temporary.resolve("killed-" + copies++);
            TestFolder.copy(folder.path(), killed);
            assertRestarts(killed, compactedSegmentBytes, expected, end, "step " + step);
            assertInterruptedRestarts(folder.path(), compactedSegmentBytes, expected, end, step);
          });
      compact(folder);
      List<String> steps = files.steps();
      files.onStep(step -> {});

      assertThat(steps).anyMatch(step -> step.endsWith(".log.deleted"));
      assertThat(steps).anyMatch(step -> step.endsWith(".log.swap"));
      assertThat(steps.stream().filter(step -> step.endsWith(".log.swap")).count())
          .as("output is split: %s", steps)
          .isGreaterThan(compactedSegmentBytes < 1_000 ? 2 : 0);
      assertThat(latest(folder.log())).isEqualTo(expected);
    }
  }

  /** Stops the restart, too, after each of its steps, at some of the steps of compaction. */
  private void assertInterruptedRestarts(
      Path data, int segmentBytes, Map<String, String> expected, long end, int step)
      throws IOException {
    if (step % RESTARTS_EACH_STEPS != 0) {
      return;
    }
    // Begins at another one each time, so that over all steps each is met.
    int first = step / RESTARTS_EACH_STEPS % RESTART_STEPS_EACH;
    for (int restartStep = first; ; restartStep += RESTART_STEPS_EACH) {
      Path killed = temporary.resolve("restarted-" + copies++);
      TestFolder.copy(data, killed);
      StepCountingFiles files = new StepCountingFiles();
      int stopAt = restartStep;
      files.onStep(
          now -> {
            if (now == stopAt) {
              throw new IOException("stopped");
            }
          });
      boolean stopped = false;
      try {
        LogDirectories.open(
                killed,
                LogDirectoryOptions.of(1, "cluster")
                    .withConfigOf(partition -> config(segmentBytes)),
                files,
                () -> java.time.Instant.ofEpochMilli(T))
            .close();
      } catch (StorageException e) {
        stopped = true;
      }
      assertRestarts(
          killed, segmentBytes, expected, end, "step " + step + ", restart step " + stopAt);
      if (!stopped) {
        return;
      }
    }
  }

  private static void assertRestarts(
      Path killed, int segmentBytes, Map<String, String> expected, long end, String when)
      throws IOException {
    try (TestFolder folder = TestFolder.open(killed, config(segmentBytes))) {
      TestLog log = folder.log();
      assertThat(log.reader().logEndOffset()).as(when).isEqualTo(end);
      log.writer().advanceHighWatermark(end);
      assertThat(latest(log)).as(when).isEqualTo(expected);
      assertOnce(log, when);
      for (String suffix : List.of(".swap", ".cleaned")) {
        assertThat(folder.logFiles(suffix)).as(when).isEmpty();
      }
      try (PartitionChecker checker = new PartitionChecker()) {
        assertThat(checker.check(folder.logFolder(), bytes -> {}).findings()).as(when).isEmpty();
      }

      // The next run ends what this one began, and finds the same.
      folder.clock().advance(10 * DELETE_RETENTION_MS);
      new TestCleaner(folder.clock(), CleanerOptions.defaults()).clean(log);
      assertThat(latest(log)).as("%s, compacted again", when).isEqualTo(expected);
    }
  }

  private static void assertOnce(TestLog log, String when) throws IOException {
    long before = -1;
    for (ConsumedRecord record : TestConsumer.readAll(log.reader(), 700)) {
      assertThat(record.offset()).as(when).isGreaterThan(before);
      before = record.offset();
    }
  }

  private static void compact(TestFolder folder) throws IOException {
    new TestCleaner(folder.clock(), CleanerOptions.defaults()).cleaned(folder.log());
  }

  /** Committed, aborted and plain records over a few keys, with tombstones among them. */
  private static void fill(TestLog log, int round) throws IOException {
    for (int i = 0; i < 24; i++) {
      RecordBatchBuilder builder = new RecordBatchBuilder();
      boolean transactional = i % 6 == 4;
      if (transactional) {
        builder.producer(7, (short) 0, 100 * round + i / 6 * 2).transactional();
      }
      for (int record = 0; record < 2; record++) {
        int key = (i * 5 + record * 3) % (round == 0 ? 40 : 25);
        boolean tombstone = (i + record) % 4 == 1;
        builder.append(
            T + 1_000L * round + i,
            TestLog.bytes("key-" + key),
            tombstone
                ? null
                : TestLog.bytes("value-" + log.reader().logEndOffset() + "-" + record));
      }
      log.append(builder.build(), AppendOrigin.COORDINATOR);
      if (transactional) {
        ByteBuffer marker =
            RecordBatchBuilder.endTransaction(
                new EndTransactionMarker(i % 12 == 4, 1), 7, (short) 0, T + i);
        log.append(marker, AppendOrigin.COORDINATOR);
      }
    }
    log.writer().roll();
    log.append(
        new RecordBatchBuilder()
            .append(T, TestLog.bytes("last"), TestLog.bytes("round " + round))
            .build());
  }

  private static Map<String, String> latest(TestLog log) throws IOException {
    Map<String, String> latest = new TreeMap<>();
    for (ConsumedRecord record : TestConsumer.readCommitted(log.reader(), 10_000)) {
      record
          .value()
          .ifPresentOrElse(
              value -> latest.put(record.key(), value), () -> latest.remove(record.key()));
    }
    return latest;
  }
}
