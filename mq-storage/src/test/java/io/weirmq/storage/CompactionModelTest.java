package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.check.PartitionChecker;
import io.weirmq.storage.fixture.ConsumedRecord;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.record.internal.FileLogInputStream;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compaction beside a model that keeps everything: random keys, tombstones, codecs, idempotent and
 * transactional producers, tiny maps, restarts and kills, over many runs.
 *
 * <p>Other seeds: {@code -Dweirmq.compaction.seed=N -Dweirmq.compaction.seeds=COUNT}.
 */
class CompactionModelTest {

  private static final List<CompressionType> CODECS = List.of(CompressionType.values());
  private static final long DELETE_RETENTION_MS = 10_000;
  private static final int PRODUCERS = 4;

  @TempDir Path temporary;

  static List<Long> seeds() {
    long first = Long.getLong("weirmq.compaction.seed", 1);
    int count = Integer.getInteger("weirmq.compaction.seeds", 25);
    return java.util.stream.LongStream.range(first, first + count).boxed().toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void st13_aConsumerSeesTheModel_afterEveryRunAndRestart(long seed) throws IOException {
    try {
      new Scenario(seed, temporary).run();
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError("-Dweirmq.compaction.seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  /** What was appended under an offset. */
  private record Appended(
      long offset,
      long timestampMs,
      String key,
      Optional<String> value,
      long producerId,
      long batchBase) {}

  /** What the test knows of one producer. */
  private static final class Producer {
    private final long id;
    private int sequence;
    private boolean inTransaction;
    private final List<Appended> pending = new ArrayList<>();

    Producer(long id) {
      this.id = id;
    }
  }

  private static final class Scenario {
    private final Random random;
    private final Path temporary;
    private final List<Producer> producers = new ArrayList<>();
    private final List<Appended> committed = new ArrayList<>();
    private final Map<Long, Appended> all = new HashMap<>();
    private final Set<Long> aborted = new HashSet<>();
    private final Map<Long, Long> firstCleanedMs = new HashMap<>();
    private final LogConfig config;
    private final int keys;
    private TestFolder folder;
    private int copies;
    private int cleanedRuns;

    Scenario(long seed, Path temporary) throws StorageException {
      this.random = new Random(seed);
      this.temporary = temporary;
      this.keys = 5 + random.nextInt(60);
      for (int i = 0; i < PRODUCERS; i++) {
        producers.add(new Producer(100 + i));
      }
      this.config =
          LogConfig.defaults().toBuilder()
              .segmentBytes(1_000 + random.nextInt(6_000))
              .index(random.nextBoolean() ? 10_000 : 64, 1 + random.nextInt(400))
              .cleanupPolicy(true, false)
              .compaction(
                  CompactionConfig.defaults()
                      .withDeleteRetentionMs(DELETE_RETENTION_MS)
                      .withLags(random.nextInt(4) == 0 ? 3_000 : 0, Long.MAX_VALUE))
              .build();
      this.folder = TestFolder.open(temporary.resolve("data"), config);
    }

    private TestLog log() {
      return folder.log();
    }

    void run() throws IOException {
      int steps = 300;
      for (int step = 0; step < steps; step++) {
        switch (random.nextInt(40)) {
          case 0, 1 -> clean();
          case 2 -> reopen();
          case 3 -> goOnAfterAKill();
          case 4 -> log().writer().roll();
          case 5 -> log().writer().flush();
          case 6 -> folder.clock().advance(random.nextInt(12_000));
          case 7, 8, 9 -> endTransaction(producers.get(random.nextInt(PRODUCERS)));
          default -> append();
        }
        folder.clock().advance(random.nextInt(50));
      }
      for (Producer producer : producers) {
        endTransaction(producer);
      }
      log().writer().roll();
      append();
      for (int i = 0; i < 4; i++) {
        log().writer().roll();
        folder.clock().advance(DELETE_RETENTION_MS + 3_000);
        append();
        clean();
      }
      reopen();
      goOnAfterAKill();
      assertThat(cleanedRuns).isPositive();
      folder.close();
    }

    private void append() throws IOException {
      RecordBatchBuilder builder =
          new RecordBatchBuilder().compression(CODECS.get(random.nextInt(CODECS.size())));
      int count = 1 + random.nextInt(6);
      Producer producer =
          random.nextInt(3) == 0 ? null : producers.get(random.nextInt(producers.size()));
      boolean transactional = false;
      if (producer != null) {
        builder.producer(producer.id, (short) 0, producer.sequence);
        producer.sequence += count;
        // The first two are idempotent only.
        transactional = producer.id >= 102;
        if (transactional) {
          builder.transactional();
          producer.inTransaction = true;
        }
      }
      long base = log().reader().logEndOffset();
      List<Appended> appended = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long time = folder.clock().millis() - random.nextInt(500);
        String key = "key-" + random.nextInt(keys);
        Optional<String> value =
            random.nextInt(4) == 0
                ? Optional.empty()
                : Optional.of("value-" + (base + i) + "x".repeat(random.nextInt(60)));
        builder.append(time, TestLog.bytes(key), value.map(TestLog::bytes).orElse(null));
        appended.add(
            new Appended(base + i, time, key, value, producer == null ? -1 : producer.id, base));
      }
      assertThat(log().append(builder.build())).isInstanceOf(AppendResult.Appended.class);
      appended.forEach(record -> all.put(record.offset(), record));
      if (transactional && producer != null) {
        producer.pending.addAll(appended);
      } else {
        committed.addAll(appended);
      }
    }

    private void endTransaction(Producer producer) throws IOException {
      if (!producer.inTransaction) {
        return;
      }
      boolean commit = random.nextBoolean();
      ByteBuffer marker =
          RecordBatchBuilder.endTransaction(
              new EndTransactionMarker(commit, 1), producer.id, (short) 0, folder.clock().millis());
      assertThat(log().append(marker, AppendOrigin.COORDINATOR))
          .isInstanceOf(AppendResult.Appended.class);
      if (commit) {
        committed.addAll(producer.pending);
      } else {
        producer.pending.forEach(record -> aborted.add(record.offset()));
      }
      producer.pending.clear();
      producer.inTransaction = false;
    }

    private void clean() throws IOException {
      CleanerOptions options =
          CleanerOptions.defaults()
              .withBufferBytes(1_024 + random.nextInt(4_000))
              .withMapBytes(random.nextInt(3) == 0 ? 1_024 : 1 << 20);
      CleaningResult result = new TestCleaner(folder.clock(), options).clean(log());
      assertThat(result).isNotInstanceOf(CleaningResult.Interrupted.class);
      if (result instanceof CleaningResult.Cleaned cleaned) {
        cleanedRuns++;
        check(cleaned);
        for (Appended record : all.values()) {
          if (record.offset() < cleaned.endOffset()) {
            firstCleanedMs.putIfAbsent(record.offset(), folder.clock().millis());
          }
        }
      }
      checkContent();
    }

    /** What must be gone, and what must not. */
    private void check(CleaningResult.Cleaned cleaned) throws IOException {
      long end = cleaned.endOffset();
      long now = folder.clock().millis();
      Map<String, Appended> latestBelowEnd = new HashMap<>();
      committed.stream()
          .filter(record -> record.offset() < end)
          .forEach(
              record ->
                  latestBelowEnd.merge(
                      record.key(), record, (a, b) -> a.offset() > b.offset() ? a : b));
      Set<Long> there =
          TestConsumer.readAll(log().reader(), 1 << 20).stream()
              .map(ConsumedRecord::offset)
              .collect(Collectors.toSet());
      for (long offset : there) {
        Appended record = all.get(offset);
        if (offset < end && record != null) {
          assertThat(aborted).as("aborted records are gone").doesNotContain(offset);
          assertThat(latestBelowEnd.get(record.key()))
              .as("nothing older than the last one of its key is left")
              .isEqualTo(record);
          if (record.value().isEmpty() && firstCleanedMs.containsKey(offset)) {
            assertThat(now)
                .as("tombstone at %d goes once its time is over", offset)
                .isLessThan(firstCleanedMs.get(offset) + DELETE_RETENTION_MS);
          }
        }
      }
      for (Appended record : latestBelowEnd.values()) {
        if (!there.contains(record.offset())) {
          assertThat(record.value()).as("%s is no tombstone and gone", record).isEmpty();
          long firstMs =
              all.values().stream()
                  .filter(other -> other.batchBase() == record.batchBase())
                  .mapToLong(other -> firstCleanedMs.getOrDefault(other.offset(), Long.MAX_VALUE))
                  .min()
                  .orElseThrow();
          assertThat(now - DELETE_RETENTION_MS)
              .as("tombstone %s stays for delete.retention.ms", record)
              .isGreaterThanOrEqualTo(firstMs);
        }
      }
    }

    private void checkContent() throws IOException {
      PartitionLog log = log().reader();
      List<ConsumedRecord> read = TestConsumer.readCommitted(log, 1 + random.nextInt(8_000));
      long before = -1;
      Map<String, String> seen = new TreeMap<>();
      for (ConsumedRecord record : read) {
        assertThat(record.offset()).isGreaterThan(before);
        before = record.offset();
        Appended original =
            Objects.requireNonNull(all.get(record.offset()), () -> record + " was never appended");
        assertThat(record)
            .isEqualTo(
                new ConsumedRecord(
                    original.offset(),
                    original.timestampMs(),
                    original.key(),
                    original.value(),
                    original.producerId()));
        assertThat(aborted).doesNotContain(record.offset());
        record
            .value()
            .ifPresentOrElse(
                value -> seen.put(record.key(), value), () -> seen.remove(record.key()));
      }
      assertThat(seen).isEqualTo(modelUpTo(log.lastStableOffset()));
      checkTimes(log);
    }

    private Map<String, String> modelUpTo(long end) {
      Map<String, String> model = new TreeMap<>();
      committed.stream()
          .filter(record -> record.offset() < end)
          .sorted(java.util.Comparator.comparingLong(Appended::offset))
          .forEach(
              record ->
                  record
                      .value()
                      .ifPresentOrElse(
                          value -> model.put(record.key(), value),
                          () -> model.remove(record.key())));
      return model;
    }

    private void checkTimes(PartitionLog log) throws IOException {
      List<ConsumedRecord> read = TestConsumer.readAll(log, 1 << 20);
      if (read.isEmpty()) {
        return;
      }
      long time = read.get(random.nextInt(read.size())).timestampMs() - random.nextInt(3);
      long expected =
          read.stream()
              .filter(record -> record.timestampMs() >= time)
              .mapToLong(ConsumedRecord::offset)
              .findFirst()
              .orElseThrow();
      assertThat(log.findByTimestamp(time, log.logEndOffset()))
          .map(TimestampedOffset::offset)
          .as("time %d", time)
          .satisfiesAnyOf(
              found -> assertThat(found).contains(expected),
              found ->
                  assertThat(found)
                      .as("a marker is a record, too, to a lookup by time")
                      .hasValueSatisfying(
                          offset -> {
                            assertThat(offset).isLessThan(expected);
                            assertThat(all).doesNotContainKey(offset);
                          }));
    }

    private void reopen() throws IOException {
      List<ProducerSummary> before = producersOf(log());
      long end = log().reader().logEndOffset();
      folder.reopen();
      assertThat(log().reader().logEndOffset()).isEqualTo(end);
      assertThat(producersOf(log())).isEqualTo(before);
      checkFiles();
      log().writer().advanceHighWatermark(end);
      checkContent();
    }

    /** Goes on in a copy as a kill leaves it; sometimes without the snapshots of producers. */
    private void goOnAfterAKill() throws IOException {
      List<ProducerSummary> before = producersOf(log());
      long end = log().reader().logEndOffset();
      Path target = temporary.resolve("killed-" + copies++);
      TestFolder.copy(folder.path(), target);
      boolean withoutSnapshots = random.nextBoolean();
      if (withoutSnapshots) {
        for (Path file : folder.logFiles(".snapshot")) {
          Files.delete(target.resolve(TestFolder.PARTITION.toString()).resolve(file.getFileName()));
        }
      }
      folder.close();
      long nowMs = folder.clock().millis();
      folder = TestFolder.open(target, config);
      folder.clock().set(nowMs);
      assertThat(log().reader().logEndOffset()).isEqualTo(end);
      assertThat(sequences(producersOf(log())))
          .as("without snapshots: %s", withoutSnapshots)
          .isEqualTo(sequences(before));
      log().writer().advanceHighWatermark(end);
      checkContent();
    }

    /** Kafka's reader understands each record, and each time entry as its dump tool looks at it. */
    private static void checkWithKafka(Path file) throws IOException {
      Map<Long, Long> largestByLastOffset = new HashMap<>();
      try (FileRecords records = FileRecords.open(file.toFile(), false)) {
        for (FileLogInputStream.FileChannelRecordBatch batch : records.batches()) {
          batch.ensureValid();
          long largest = -1;
          for (Record record : batch) {
            record.ensureValid();
            largest = Math.max(largest, record.timestamp());
          }
          largestByLastOffset.put(batch.lastOffset(), largest);
        }
        assertThat(records.sizeInBytes()).isEqualTo((int) Files.size(file));
      }
      String stem = file.toString().substring(0, file.toString().length() - ".log".length());
      long base = Long.parseLong(stem.substring(stem.length() - 20));
      Path times = Path.of(stem + ".timeindex");
      ByteBuffer entries =
          ByteBuffer.wrap(Files.exists(times) ? Files.readAllBytes(times) : new byte[0]);
      while (entries.hasRemaining()) {
        long timestampMs = entries.getLong();
        assertThat(largestByLastOffset)
            .as("%s", file)
            .containsEntry(base + entries.getInt(), timestampMs);
      }
    }

    private static List<ProducerSummary> producersOf(TestLog log) {
      return log.reader().producers().stream()
          .sorted(java.util.Comparator.comparingLong(ProducerSummary::producerId))
          .toList();
    }

    private static List<String> sequences(List<ProducerSummary> summaries) {
      return summaries.stream()
          .map(
              summary ->
                  "%d/%d/%d/%d"
                      .formatted(
                          summary.producerId(),
                          summary.producerEpoch(),
                          summary.lastSequence(),
                          summary.currentTransactionFirstOffset()))
          .toList();
    }

    private void checkFiles() throws IOException {
      try (PartitionChecker checker = new PartitionChecker()) {
        assertThat(checker.check(folder.logFolder(), bytes -> {}).findings()).isEmpty();
      }
      for (Path file : folder.logFiles(".log")) {
        checkWithKafka(file);
      }
      assertThat(folder.logFiles(".swap")).isEmpty();
      assertThat(folder.logFiles(".cleaned")).isEmpty();
    }
  }
}
