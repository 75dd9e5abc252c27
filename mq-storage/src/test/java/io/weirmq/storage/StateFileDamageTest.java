package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
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

  @TempDir Path temporary;

  enum Damage {
    MISSING,
    EMPTY,
    ZEROS,
    CUT,
    TRAILING_GARBAGE;

    byte[] of(byte[] content) {
      return switch (this) {
        case MISSING, EMPTY -> new byte[0];
        case ZEROS -> new byte[Math.max(content.length, 16)];
        case CUT -> Arrays.copyOf(content, Math.max(0, content.length - 3));
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
            ".kafka_cleanshutdown",
            "orders-0/leader-epoch-checkpoint",
            "orders-0/partition.metadata",
            "orders-0/newest.snapshot",
            "orders-0/oldest.snapshot",
            "orders-0/first.index",
            "orders-0/last.index",
            "orders-0/first.timeindex",
            "orders-0/last.timeindex")
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
    fill(folder.log());
    byte[] whole = folder.log().readAll(0);
    if (clean) {
      folder.stop();
      TestFolder.copy(path, temporary.resolve("copy"));
    } else {
      folder.directory().writeCheckpoints();
      TestFolder.copy(path, temporary.resolve("copy"));
      folder.stop();
    }
    Path copy = temporary.resolve("copy");
    apply(damage, file(copy, name));

    try (LogDirectory opened =
        LogDirectories.open(
            copy,
            LogDirectoryOptions.of(1, "cluster")
                .withConfigOf(partition -> CONFIG)
                .withTopicIdOf(partition -> Optional.of(TestFolder.TOPIC_ID)),
            new FaultyFileSystem(),
            folder.clock())) {
      PartitionLog log = opened.log(TestFolder.PARTITION).orElseThrow();
      assertThat(log.topicId()).isEqualTo(TestFolder.TOPIC_ID);
      assertThat(log.logEndOffset()).isEqualTo(RECORDS);
      assertThat(log.logStartOffset()).isZero();
      assertThat(log.endOffsetOfEpoch(0, 3)).isEqualTo(new EpochEndOffset(0, 10));
      assertThat(log.endOffsetOfEpoch(1, 3)).isEqualTo(new EpochEndOffset(1, 20));
      assertThat(log.producers())
          .containsExactly(new ProducerSummary(7, (short) 0, RECORDS - 1, T + 29, -1, -1));
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
    if (!name.contains(".") || !name.startsWith("orders-0/") || name.endsWith("metadata")) {
      return folder.resolve(name);
    }
    String suffix = name.substring(name.lastIndexOf('.'));
    try (Stream<Path> list = Files.list(folder.resolve("orders-0"))) {
      var sorted = list.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
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
