package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.ConsumedRecord;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.LogLines;
import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.fixture.TestCleaner;
import io.weirmq.storage.fixture.TestConsumer;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every small state file, damaged in every way, after a clean stop and after a kill. */
class StateFileDamageTest {

  private static final long T = TestFolder.NOW_MS;
  private static final int RECORDS = 30;

  private static final LogConfig CONFIG =
      LogConfig.defaults().toBuilder().segmentBytes(1_500).index(10_000, 100).build();

  /** Compacted, so that there is an offset of compaction. */
  private static final TopicPartition PRICES = new TopicPartition("prices", 0);

  private static final LogConfig PRICES_CONFIG =
      CONFIG.toBuilder().cleanupPolicy(true, false).build();
  private static final int PRICE_RECORDS = 41;

  /** Full of aborted transactions. */
  private static final TopicPartition TRANSFERS = new TopicPartition("transfers", 0);

  private static final int TRANSFER_COUNT = 15;

  /** Text files that say what was dropped of them; the others are made anew in silence. */
  private static final Set<String> TOLD =
      Set.of(
          "meta.properties",
          "recovery-point-offset-checkpoint",
          "log-start-offset-checkpoint",
          "replication-offset-checkpoint",
          "cleaner-offset-checkpoint",
          "leader-epoch-checkpoint",
          "aborted-transactions",
          "partition.metadata");

  @TempDir Path temporary;

  enum Damage {
    MISSING,
    EMPTY,
    ZEROS,
    CUT,
    CUT_IN_HALF,
    TRAILING_GARBAGE;

    byte[] of(byte[] content) {
      return switch (this) {
        case MISSING, EMPTY -> new byte[0];
        case ZEROS -> new byte[Math.max(content.length, 16)];
        case CUT -> Arrays.copyOf(content, Math.max(0, content.length - 3));
        case CUT_IN_HALF -> Arrays.copyOf(content, content.length / 2);
        case TRAILING_GARBAGE -> {
          byte[] longer = Arrays.copyOf(content, content.length + 7);
          Arrays.fill(longer, content.length, longer.length, (byte) 0xfe);
          yield longer;
        }
      };
    }
  }

  static Stream<Arguments> cases() {
    return Stream.of(
            "meta.properties",
            "recovery-point-offset-checkpoint",
            "log-start-offset-checkpoint",
            "replication-offset-checkpoint",
            "cleaner-offset-checkpoint",
            ".kafka_cleanshutdown",
            ".lock",
            "orders-0/leader-epoch-checkpoint",
            "orders-0/partition.metadata",
            "orders-0/newest.snapshot",
            "orders-0/oldest.snapshot",
            "orders-0/first.index",
            "orders-0/last.index",
            "orders-0/first.timeindex",
            "orders-0/last.timeindex",
            "orders-0/force-failed",
            "prices-0/leader-epoch-checkpoint",
            "prices-0/partition.metadata",
            "prices-0/newest.snapshot",
            "prices-0/first.index",
            "prices-0/first.timeindex",
            "transfers-0/leader-epoch-checkpoint",
            "transfers-0/newest.snapshot",
            "transfers-0/aborted-transactions",
            "transfers-0/first.txnindex",
            "transfers-0/last.txnindex")
        .flatMap(
            file ->
                Stream.of(Damage.values())
                    .flatMap(
                        damage ->
                            Stream.of(true, false)
                                .map(clean -> Arguments.of(file, damage, clean))));
  }

  @ParameterizedTest(name = "ST-07 {0} {1}, clean stop {2}")
  @MethodSource("cases")
  @DisplayName("ST-07 small state files damaged")
  void st07_startsAndKeepsTheLog(String name, Damage damage, boolean clean) throws IOException {
    Path path = temporary.resolve("data");
    TestFolder folder = TestFolder.open(path, CONFIG);
    fillAll(folder);
    byte[] whole = folder.log().readAll(0);
    byte[] prices = log(folder, PRICES).readAll(0);
    byte[] transfers = log(folder, TRANSFERS).readAll(0);
    Path copy = temporary.resolve("copy");
    if (clean) {
      folder.stop();
      TestFolder.copy(path, copy);
    } else {
      folder.directory().writeCheckpoints();
      TestFolder.copy(path, copy);
      folder.stop();
    }
    Path damaged = file(copy, name);
    boolean told = Files.exists(damaged) && TOLD.contains(damaged.getFileName().toString());
    apply(damage, damaged);

    try (LogLines lines = new LogLines();
        LogDirectory opened = open(copy, folder.clock())) {
      PartitionLog log = opened.log(TestFolder.PARTITION).orElseThrow();
      assertThat(log.topicId()).isEqualTo(TestFolder.TOPIC_ID);
      assertThat(log.logEndOffset()).isEqualTo(RECORDS);
      assertThat(log.logStartOffset()).isZero();
      assertThat(log.endOffsetOfEpoch(0, 3)).isEqualTo(new EpochEndOffset(0, 10));
      assertThat(log.endOffsetOfEpoch(1, 3)).isEqualTo(new EpochEndOffset(1, 20));
      assertThat(log.producers())
          .containsExactly(new ProducerSummary(7, (short) 0, RECORDS - 1, T + 29, -1, -1));
      assertPrices(opened, prices);
      assertTransfers(opened, transfers);
      if (told && damage != Damage.MISSING) {
        assertThat(lines.with("WARN "))
            .as("says what was dropped of %s", damaged)
            .anyMatch(line -> line.contains(damaged.getFileName().toString()));
      }
      assertThat(lines.with("ERROR ")).isEmpty();
    }

    TestFolder again = TestFolder.open(copy, CONFIG);
    again.log().leaderEpoch(2);
    assertThat(again.log().readAll(0)).isEqualTo(whole);
    for (long offset = 0; offset < RECORDS; offset++) {
      assertThat(again.log().baseOffsets(offset, 1, RECORDS)).containsExactly(offset);
      assertThat(again.log().reader().findByTimestamp(T + offset, RECORDS))
          .map(TimestampedOffset::offset)
          .contains(offset);
    }
    assertThat(again.log().append(batch(RECORDS - 1))).isInstanceOf(AppendResult.Duplicate.class);
    assertThat(again.log().append(batch(RECORDS)))
        .isEqualTo(new AppendResult.Appended(RECORDS, RECORDS, -1, 0));
    again.close();
  }

  private static LogDirectory open(Path path, ManualClock clock) throws StorageException {
    return LogDirectories.open(
        path,
        LogDirectoryOptions.of(1, "cluster")
            .withConfigOf(partition -> partition.equals(PRICES) ? PRICES_CONFIG : CONFIG)
            .withTopicIdOf(partition -> Optional.of(TestFolder.TOPIC_ID)),
        new FaultyFileSystem(),
        clock);
  }

  private static TestLog log(TestFolder folder, TopicPartition partition) {
    return TestLog.of(folder.directory().log(partition).orElseThrow());
  }

  private static void fillAll(TestFolder folder) throws StorageException {
    fill(folder.log());
    folder.directory().create(PRICES, TestFolder.TOPIC_ID, PRICES_CONFIG);
    fillPrices(log(folder, PRICES));
    folder.directory().create(TRANSFERS, TestFolder.TOPIC_ID, CONFIG);
    fillTransfers(log(folder, TRANSFERS));
  }

  private static void fillPrices(TestLog log) throws StorageException {
    for (int i = 0; i < PRICE_RECORDS; i++) {
      if (i == PRICE_RECORDS - 1) {
        log.writer().roll();
      }
      log.append(
          new RecordBatchBuilder()
              .producer(9, (short) 0, i)
              .append(T + i, TestLog.bytes("key-" + i % 8), ByteBuffer.wrap(new byte[100]))
              .build());
    }
    new TestCleaner(new ManualClock(T), CleanerOptions.defaults()).cleaned(log);
  }

  /** The last record of each of the eight keys below the active segment, and the one in there. */
  private static void assertPrices(LogDirectory directory, byte[] whole) throws IOException {
    TestLog log = TestLog.of(directory.log(PRICES).orElseThrow());
    assertThat(log.readAll(0)).isEqualTo(whole);
    log.writer().advanceHighWatermark(PRICE_RECORDS);
    assertThat(TestConsumer.readAll(log.reader(), 10_000))
        .extracting(ConsumedRecord::offset)
        .containsExactly(32L, 33L, 34L, 35L, 36L, 37L, 38L, 39L, 40L);
    new TestCleaner(new ManualClock(T), CleanerOptions.defaults()).clean(log);
    assertThat(TestConsumer.readAll(log.reader(), 10_000)).as("compacted again").hasSize(9);
  }

  private static void fillTransfers(TestLog log) throws StorageException {
    for (int i = 0; i < TRANSFER_COUNT; i++) {
      log.append(
          new RecordBatchBuilder()
              .producer(8, (short) 0, i)
              .transactional()
              .append(T + i, null, ByteBuffer.wrap(new byte[100]))
              .build());
      log.append(
          RecordBatchBuilder.endTransaction(new EndTransactionMarker(false, 3), 8, (short) 0, T),
          AppendOrigin.COORDINATOR);
    }
    assertThat(log.reader().segmentCount()).isGreaterThan(2);
  }

  private static void assertTransfers(LogDirectory directory, byte[] whole) throws IOException {
    TestLog log = TestLog.of(directory.log(TRANSFERS).orElseThrow());
    assertThat(log.readAll(0)).isEqualTo(whole);
    List<AbortedTransaction> expected = new ArrayList<>();
    for (long first = 0; first < 2 * TRANSFER_COUNT; first += 2) {
      expected.add(new AbortedTransaction(8, first, first + 1, first + 2));
    }
    assertThat(log.reader().abortedTransactions(0, 2 * TRANSFER_COUNT)).isEqualTo(expected);
  }

  @Test
  @DisplayName("ST-07 every file beside the batches is among those that are damaged")
  void st07_everyFileIsMet() throws IOException {
    Path path = temporary.resolve("data");
    TestFolder folder = TestFolder.open(path, CONFIG);
    fillAll(folder);
    folder.stop();
    Set<Path> met = new HashSet<>();
    for (Arguments each : cases().toList()) {
      met.add(file(path, (String) each.get()[0]));
    }
    Set<String> kinds = new HashSet<>();
    met.forEach(file -> kinds.add(kind(file)));
    try (Stream<Path> tree = Files.walk(path)) {
      assertThat(tree.filter(Files::isRegularFile).map(StateFileDamageTest::kind))
          .contains(".txnindex", "cleaner-offset-checkpoint", ".snapshot", ".kafka_cleanshutdown")
          .filteredOn(kind -> !kind.equals(".log") && !kind.endsWith(".deleted"))
          .isSubsetOf(kinds);
    }
  }

  /** The suffix of a segment's file, otherwise the name. */
  private static String kind(Path file) {
    String name = file.getFileName().toString();
    return name.matches("\\d{20}\\..*") ? name.substring(20) : name;
  }

  private static void fill(TestLog log) throws StorageException {
    for (int i = 0; i < RECORDS; i++) {
      log.leaderEpoch(i / 10);
      log.append(batch(i));
    }
  }

  private static ByteBuffer batch(int sequence) {
    return new RecordBatchBuilder()
        .producer(7, (short) 0, sequence)
        .append(T + sequence, null, ByteBuffer.wrap(new byte[100]))
        .build();
  }

  private static Path file(Path folder, String name) throws IOException {
    int slash = name.indexOf('/');
    String suffix = name.substring(name.lastIndexOf('.') + 1);
    if (slash < 0 || !Set.of("snapshot", "index", "timeindex", "txnindex").contains(suffix)) {
      return folder.resolve(name);
    }
    try (Stream<Path> list = Files.list(folder.resolve(name.substring(0, slash)))) {
      var sorted = list.filter(file -> file.toString().endsWith("." + suffix)).sorted().toList();
      boolean first = name.contains("/first") || name.contains("/oldest");
      return sorted.get(first ? 0 : sorted.size() - 1);
    }
  }

  private static void apply(Damage damage, Path file) throws IOException {
    if (damage == Damage.MISSING) {
      Files.deleteIfExists(file);
    } else if (Files.exists(file)) {
      Files.write(file, damage.of(Files.readAllBytes(file)));
    } else {
      Files.write(file, damage.of(new byte[0]));
    }
  }
}
