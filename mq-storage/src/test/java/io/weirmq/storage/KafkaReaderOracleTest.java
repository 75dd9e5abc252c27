package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own reader over the files that we write, and the rules that its dump tool checks. */
class KafkaReaderOracleTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  private record Batch(long lastOffset, int position, long maxTimestampMs) {}

  @Test
  void kafkaReadsEveryBatch_andEveryIndexEntryIsPairedAsItsToolsExpect() throws IOException {
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(20_000).index(100_000, 500).build();
    List<String> written = new ArrayList<>();
    try (TestFolder folder = TestFolder.open(temporary.resolve("data"), config)) {
      fill(folder.log(), written);
      folder.stop();

      List<String> read = new ArrayList<>();
      for (Path file : folder.logFiles(".log")) {
        readSegment(file, read);
      }
      assertThat(read).isEqualTo(written);
      folder.start();
    }
  }

  private static void fill(TestLog log, List<String> written) throws StorageException {
    CompressionType[] codecs = CompressionType.values();
    for (int i = 0; i < 300; i++) {
      RecordBatchBuilder builder = new RecordBatchBuilder().compression(codecs[i % codecs.length]);
      log.leaderEpoch(i / 100);
      for (int record = 0; record <= i % 7; record++) {
        String value = "record " + i + "/" + record + "-".repeat(i % 90);
        long time = T + (i * 37L) % 500 + record;
        builder.append(time, TestLog.bytes("k" + i), TestLog.bytes(value));
        written.add("%d %d %s %d".formatted(written.size(), time, value, i / 100));
      }
      assertThat(log.append(builder.build())).isInstanceOf(AppendResult.Appended.class);
    }
  }

  private static void readSegment(Path file, List<String> read) throws IOException {
    List<Batch> batches = new ArrayList<>();
    try (FileRecords records = FileRecords.open(file.toFile(), false)) {
      for (FileChannelRecordBatch batch : records.batches()) {
        batch.ensureValid();
        batches.add(new Batch(batch.lastOffset(), batch.position(), batch.maxTimestamp()));
        for (Record record : batch) {
          read.add(
              "%d %d %s %d"
                  .formatted(
                      record.offset(),
                      record.timestamp(),
                      java.nio.charset.StandardCharsets.UTF_8.decode(record.value()),
                      batch.partitionLeaderEpoch()));
        }
      }
      assertThat(records.sizeInBytes()).isEqualTo((int) Files.size(file));
    }
    long base = Long.parseLong(file.getFileName().toString().substring(0, 20));
    String stem = file.toString().substring(0, file.toString().length() - 4);
    checkOffsetIndex(Path.of(stem + ".index"), base, batches);
    checkTimeIndex(Path.of(stem + ".timeindex"), base, batches);
  }

  /** An entry is the last offset of a batch and its position, once more than 500 bytes passed. */
  private static void checkOffsetIndex(Path file, long base, List<Batch> batches)
      throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    List<Batch> expected = new ArrayList<>();
    int since = 0;
    for (int i = 0; i < batches.size(); i++) {
      if (since > 500) {
        expected.add(batches.get(i));
        since = 0;
      }
      int next = i + 1 < batches.size() ? batches.get(i + 1).position() : 0;
      since += next - batches.get(i).position();
    }
    assertThat(content.limit()).as("%s", file).isEqualTo(expected.size() * 8);
    for (Batch batch : expected) {
      assertThat(base + content.getInt()).isEqualTo(batch.lastOffset());
      assertThat(content.getInt()).isEqualTo(batch.position());
    }
  }

  /** Rising timestamps, each the true maximum of the batch that ends at the entry's offset. */
  private static void checkTimeIndex(Path file, long base, List<Batch> batches) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
    long before = -1;
    while (content.hasRemaining()) {
      long timestamp = content.getLong();
      long offset = base + content.getInt();
      assertThat(timestamp).isGreaterThan(before);
      before = timestamp;
      assertThat(batches)
          .as("%s", file)
          .anyMatch(batch -> batch.lastOffset() == offset && batch.maxTimestampMs() == timestamp);
    }
    assertThat(before)
        .as("the last entry has the largest timestamp of the segment")
        .isEqualTo(batches.stream().mapToLong(Batch::maxTimestampMs).max().orElse(-1));
  }
}
