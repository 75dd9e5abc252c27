package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.StoredRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log under random use equals a list of records. */
class LogModelTest {

  private static final long T = TestFolder.NOW_MS;
  private static final int STEPS = 250;
  private static final List<CompressionType> CODECS = List.of(CompressionType.values());

  @TempDir Path temporary;

  private record Kept(long offset, long timestampMs, String value) {}

  private final List<Kept> model = new ArrayList<>();
  private long start;
  private int copies;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14})
  void equalsAList(long seed) throws IOException {
    Random random = new Random(seed);
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(1_000 + random.nextInt(3_000))
            .index(64 + random.nextInt(1_000), random.nextInt(600))
            .segmentMs(1_000 + random.nextInt(100_000), 0)
            .retentionMs(-1)
            .build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), config);
    for (int step = 0; step < STEPS; step++) {
      folder = act(folder, random, config);
      assertThat(folder.log().reader().logEndOffset())
          .as("seed %d step %d", seed, step)
          .isEqualTo(end());
      assertThat(folder.log().reader().logStartOffset())
          .as("seed %d step %d", seed, step)
          .isEqualTo(start);
      look(folder.log(), random, "seed " + seed + " step " + step);
    }
    assertThat(read(folder.log(), start)).as("seed %d", seed).isEqualTo(model);
    folder.close();
  }

  private long end() {
    return model.isEmpty() ? start : model.get(model.size() - 1).offset() + 1;
  }

  private TestFolder act(TestFolder folder, Random random, LogConfig config) throws IOException {
    TestLog log = folder.log();
    int choice = random.nextInt(100);
    if (choice < 80) {
      append(log, random);
    } else if (choice < 84) {
      log.writer().roll();
    } else if (choice < 88) {
      folder.reopen();
    } else if (choice < 92) {
      Path killed = temporary.resolve("killed-" + copies++);
      TestFolder copy = folder.killedCopy(killed);
      folder.close();
      copy.log().writer().advanceHighWatermark(end());
      return copy;
    } else if (choice < 95) {
      log.writer().flush();
      folder.directory().writeCheckpoints();
    } else if (choice < 97) {
      long next = start + random.nextInt((int) (end() - start) / 4 + 1);
      log.writer().deleteRecordsBefore(next);
      start = next;
      model.removeIf(record -> record.offset() < next);
      if (model.isEmpty()) {
        start = log.reader().logEndOffset();
      }
    } else if (choice < 99) {
      long offset = end() - random.nextInt(8);
      cut(log, Math.max(start, offset));
    } else {
      long bytes = log.reader().sizeBytes() / 2;
      log.writer().reconfigure(config.toBuilder().retentionBytes(bytes).build());
      log.writer().applyRetention(T);
      log.writer().reconfigure(config);
      start = log.reader().logStartOffset();
      model.removeIf(record -> record.offset() < start);
    }
    return folder;
  }

  private void append(TestLog log, Random random) throws StorageException {
    int batches = 1 + random.nextInt(3);
    for (int i = 0; i < batches; i++) {
      RecordBatchBuilder builder =
          new RecordBatchBuilder().compression(CODECS.get(random.nextInt(CODECS.size())));
      int count = 1 + random.nextInt(4);
      for (int record = 0; record < count; record++) {
        long offset = end();
        long time = T + random.nextInt(1_000_000);
        String value = "value " + offset + " " + "x".repeat(random.nextInt(200));
        builder.append(time, null, TestLog.bytes(value));
        model.add(new Kept(offset, time, value));
      }
      assertThat(log.writer().stage(TestLog.validated(builder.build()), AppendOrigin.CLIENT, 0, T))
          .isInstanceOf(AppendResult.Appended.class);
    }
    log.writer().commit();
    log.writer().advanceHighWatermark(log.reader().logEndOffset());
  }

  private void cut(TestLog log, long offset) throws StorageException {
    log.writer().truncateTo(offset);
    long end = log.reader().logEndOffset();
    assertThat(end).isLessThanOrEqualTo(Math.max(offset, start));
    model.removeIf(record -> record.offset() >= end);
    start = log.reader().logStartOffset();
  }

  private void look(TestLog log, Random random, String where) throws IOException {
    if (model.isEmpty()) {
      return;
    }
    Kept any = model.get(random.nextInt(model.size()));
    byte[] bytes = log.read(any.offset(), 1, end());
    assertThat(records(bytes)).as(where).contains(any);

    long time = T + random.nextInt(1_000_000);
    Optional<Kept> expected =
        model.stream().filter(record -> record.timestampMs() >= time).findFirst();
    assertThat(log.reader().findByTimestamp(time, end()).map(TimestampedOffset::offset))
        .as(where)
        .isEqualTo(expected.map(Kept::offset));
  }

  private static List<Kept> read(TestLog log, long from) throws IOException {
    List<Kept> all = new ArrayList<>();
    for (Kept record : records(log.readAll(from))) {
      if (record.offset() >= from) {
        all.add(record);
      }
    }
    return all;
  }

  private static List<Kept> records(byte[] batches) throws IOException {
    List<Kept> kept = new ArrayList<>();
    for (StoredRecord record : StoredRecord.readAll(ByteBuffer.wrap(batches), new Decompressor())) {
      String value =
          java.nio.charset.StandardCharsets.UTF_8
              .decode(java.util.Objects.requireNonNull(record.value()).duplicate())
              .toString();
      kept.add(new Kept(record.offset(), record.timestampMs(), value));
    }
    return kept;
  }
}
