package io.weirmq.storage.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of damage is found, at its file and position, and sound files give no finding. */
class PartitionCheckerTest {

  private static final long NOW_MS = 1_700_000_000_000L;

  @TempDir private Path folder;
  private Path log;
  private int firstBatchBytes;

  @BeforeEach
  void writeTwoBatchesWithAnIndexEntry() throws IOException {
    log = folder.resolve("00000000000000000100.log");
    ByteBuffer first = batch(100, "a", "b");
    ByteBuffer second = batch(102, "c");
    firstBatchBytes = first.remaining();
    Files.write(log, bytes(first));
    Files.write(log, bytes(second), StandardOpenOption.APPEND);
    writeIndex(2, firstBatchBytes);
    writeTimeIndex(NOW_MS, 2);
  }

  @Test
  void soundFilesGiveNoFinding() throws IOException {
    PartitionChecker.Report report = check();

    assertThat(report.findings()).isEmpty();
    assertThat(report.segmentCount()).isEqualTo(1);
    assertThat(report.batchCount()).isEqualTo(2);
    assertThat(report.recordCount()).isEqualTo(3);
    assertThat(report.bytes()).isEqualTo(Files.size(log));
  }

  @Test
  void findsAFlippedBitAtItsBatch() throws IOException {
    byte[] content = Files.readAllBytes(log);
    content[firstBatchBytes + 65] ^= 1;
    Files.write(log, content);

    assertThat(check().findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.position()).isEqualTo(firstBatchBytes);
              assertThat(finding.problem()).contains("checksum mismatch", "offset 102");
            });
  }

  @Test
  void findsWhatIsBehindADamagedBatch_andBlamesNoIndexForIt() throws IOException {
    ByteBuffer third = batch(103, "d");
    Files.write(log, bytes(third), StandardOpenOption.APPEND);
    int thirdAt = (int) Files.size(log) - third.remaining();
    writeIndex(3, thirdAt);
    writeTimeIndex(NOW_MS, 3);
    byte[] content = Files.readAllBytes(log);
    content[65] ^= 1;
    content[thirdAt + 65] ^= 1;
    Files.write(log, content);

    PartitionChecker.Report report = check();

    assertThat(report.findings())
        .extracting(Finding::file, Finding::position)
        .containsExactly(tuple(log, 0L), tuple(log, (long) thirdAt));
    assertThat(report.findings())
        .allSatisfy(finding -> assertThat(finding.problem()).contains("checksum mismatch"));
    assertThat(report.batchCount()).isEqualTo(1);
    assertThat(report.recordCount()).isEqualTo(1);
  }

  @Test
  void passesOverFilesThatAreNoSegments() throws IOException {
    Files.writeString(folder.resolve("broker.log"), "no segment");

    assertThat(PartitionChecker.segmentFiles(folder)).containsExactly(log);
  }

  @Test
  void findsATornTail() throws IOException {
    byte[] content = Files.readAllBytes(log);
    Files.write(log, Arrays.copyOf(content, content.length - 1));

    assertThat(check().findings())
        .anySatisfy(finding -> assertThat(finding.problem()).contains("torn tail"));
  }

  @Test
  void findsOffsetsThatGoBack() throws IOException {
    Files.write(log, bytes(batch(101, "d")), StandardOpenOption.APPEND);

    assertThat(check().findings())
        .singleElement()
        .satisfies(f -> assertThat(f.problem()).isEqualTo("base offset 101, expected 103 or more"));
  }

  @Test
  void findsAnIndexEntryBetweenBatches() throws IOException {
    writeIndex(2, firstBatchBytes + 7);

    assertThat(check().findings())
        .singleElement()
        .satisfies(f -> assertThat(f.problem()).contains("no batch starts at position"));
  }

  @Test
  void findsAnIndexEntryWithTheWrongOffset() throws IOException {
    writeIndex(1, firstBatchBytes);

    assertThat(check().findings())
        .singleElement()
        .satisfies(f -> assertThat(f.problem()).contains("offset 101", "expected 102"));
  }

  @Test
  void findsATimeIndexEntryBehindTheSegment() throws IOException {
    writeTimeIndex(NOW_MS, 3);

    assertThat(check().findings())
        .singleElement()
        .satisfies(f -> assertThat(f.problem()).isEqualTo("offset 103, expected 100 to 102"));
  }

  private PartitionChecker.Report check() throws IOException {
    try (PartitionChecker checker = new PartitionChecker()) {
      return checker.check(folder, bytes -> {});
    }
  }

  private void writeIndex(int relativeOffset, int position) throws IOException {
    Files.write(
        folder.resolve("00000000000000000100.index"),
        ByteBuffer.allocate(8).putInt(relativeOffset).putInt(position).array());
  }

  private void writeTimeIndex(long timestampMs, int relativeOffset) throws IOException {
    Files.write(
        folder.resolve("00000000000000000100.timeindex"),
        ByteBuffer.allocate(12).putLong(timestampMs).putInt(relativeOffset).array());
  }

  private static ByteBuffer batch(long baseOffset, String... values) {
    RecordBatchBuilder builder = new RecordBatchBuilder().baseOffset(baseOffset);
    for (String value : values) {
      builder.append(NOW_MS, null, ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }
    return builder.build();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return copy;
  }
}
