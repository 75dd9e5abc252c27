package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a kill leaves at the end of a log. */
class TornTailTest {

  private static final long T = TestFolder.NOW_MS;

  @TempDir Path temporary;

  @Test
  @DisplayName("ST-01 the log ends at its last whole batch, wherever in the last two it was torn")
  void st01_tornAtEveryByteOfTheLastTwoBatches() throws IOException {
    Path original = temporary.resolve("original");
    byte[] whole;
    int[] ends = new int[3];
    try (TestFolder folder = TestFolder.open(original, LogConfig.defaults())) {
      folder.log().append(T, T + 1);
      ends[0] = (int) folder.log().reader().sizeBytes();
      folder.log().append(T + 2, T + 3, T + 4);
      ends[1] = (int) folder.log().reader().sizeBytes();
      folder.log().append(T + 5);
      ends[2] = (int) folder.log().reader().sizeBytes();
      whole = folder.log().readAll(0);
      TestFolder.copy(original, temporary.resolve("killed"));
    }
    long[] offsets = {2, 5, 6};

    for (int length = ends[0]; length <= ends[2]; length++) {
      Path copy = temporary.resolve("cut-" + length);
      TestFolder.copy(temporary.resolve("killed"), copy);
      Path file = copy.resolve("orders-0/00000000000000000000.log");
      try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
        torn.setLength(length);
      }
      int batch = length < ends[1] ? 0 : length < ends[2] ? 1 : 2;
      try (TestFolder folder = TestFolder.open(copy, LogConfig.defaults())) {
        assertThat(folder.log().reader().logEndOffset())
            .as("cut at %d", length)
            .isEqualTo(offsets[batch]);
        assertThat(folder.log().readAll(0))
            .as("cut at %d", length)
            .isEqualTo(Arrays.copyOf(whole, ends[batch]));
        assertThat(Files.size(file)).as("cut at %d", length).isEqualTo(ends[batch]);
        assertThat(folder.log().append(T + 9))
            .as("cut at %d", length)
            .isEqualTo(new AppendResult.Appended(offsets[batch], offsets[batch], -1, 0));
      }
    }
  }

  @Test
  @DisplayName("ST-01 a batch whose bytes are damaged ends the log in front of it")
  void st01_damagedByteInTheLastBatch() throws IOException {
    Path original = temporary.resolve("original");
    int start;
    int end;
    try (TestFolder folder = TestFolder.open(original, LogConfig.defaults())) {
      folder.log().append(T, T + 1);
      start = (int) folder.log().reader().sizeBytes();
      folder.log().append(T + 2);
      end = (int) folder.log().reader().sizeBytes();
      TestFolder.copy(original, temporary.resolve("killed"));
    }
    // Bytes 12 to 15 of a batch, its leader epoch, are not covered by a checksum.
    for (int position = start; position < end; position++) {
      if (position >= start + 12 && position < start + 16) {
        continue;
      }
      Path copy = temporary.resolve("flipped-" + position);
      TestFolder.copy(temporary.resolve("killed"), copy);
      flipBit(copy.resolve("orders-0/00000000000000000000.log"), position);
      try (TestFolder folder = TestFolder.open(copy, LogConfig.defaults())) {
        // A base offset that is larger, but still one of the segment, looks like a gap.
        boolean gap = position >= start + 4 && position < start + 8;
        if (!gap) {
          assertThat(folder.log().reader().logEndOffset()).as("byte %d", position).isEqualTo(2);
          assertThat(folder.log().reader().sizeBytes()).as("byte %d", position).isEqualTo(start);
        }
      }
    }
  }

  private static void flipBit(Path file, int position) throws IOException {
    byte[] content = Files.readAllBytes(file);
    content[position] ^= 0x10;
    Files.write(file, content);
  }

  @Test
  @DisplayName("ST-02 zeros behind the data are no data, and their place is used again")
  void st02_zeroFilledTail() throws IOException {
    Path original = temporary.resolve("original");
    try (TestFolder folder = TestFolder.open(original, LogConfig.defaults())) {
      folder.log().append(T, T + 1);
      folder.log().append(T + 2);
      TestFolder.copy(original, temporary.resolve("killed"));
    }
    for (int zeros : new int[] {1, 11, 12, 60, 61, 62, 4096, 100_000}) {
      Path copy = temporary.resolve("zeros-" + zeros);
      TestFolder.copy(temporary.resolve("killed"), copy);
      Path file = copy.resolve("orders-0/00000000000000000000.log");
      long size = Files.size(file);
      try (RandomAccessFile extended = new RandomAccessFile(file.toFile(), "rw")) {
        extended.setLength(size + zeros);
      }
      try (TestFolder folder = TestFolder.open(copy, LogConfig.defaults())) {
        assertThat(folder.log().reader().logEndOffset()).as("%d zeros", zeros).isEqualTo(3);
        assertThat(folder.log().reader().sizeBytes()).isEqualTo(size);
        folder.log().append(T + 3);
        assertThat(folder.log().baseOffsets(0, 10_000, 4)).containsExactly(0L, 2L, 3L);
      }
    }
  }

  @Test
  @DisplayName("ST-02 zeros after a clean stop are found too")
  void st02_zeroFilledTailAfterACleanStop() throws IOException {
    Path path = temporary.resolve("data");
    TestFolder folder = TestFolder.open(path, LogConfig.defaults());
    folder.log().append(T);
    folder.stop();
    Path file = path.resolve("orders-0/00000000000000000000.log");
    try (RandomAccessFile extended = new RandomAccessFile(file.toFile(), "rw")) {
      extended.setLength(Files.size(file) + 1000);
    }
    Files.delete(path.resolve("orders-0/00000000000000000001.snapshot"));
    folder.start();

    folder.log().append(T + 1);
    assertThat(folder.log().baseOffsets(0, 10_000, 2)).containsExactly(0L, 1L);
    folder.close();
  }

  @Test
  @DisplayName("ST-02 a legal batch whose checksum happens to be 0 is data")
  void st02_batchWithChecksumZero() throws IOException {
    ByteBuffer zeroCrc = batchWithChecksumZero();
    Path path = temporary.resolve("data");
    byte[] whole;
    try (TestFolder folder = TestFolder.open(path, LogConfig.defaults())) {
      folder.log().append(T);
      folder.log().append(zeroCrc);
      folder.log().append(T + 1);
      whole = folder.log().readAll(0);
      TestFolder.copy(path, temporary.resolve("killed"));
    }
    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), LogConfig.defaults())) {
      assertThat(killed.log().reader().logEndOffset()).isEqualTo(3);
      assertThat(killed.log().readAll(0)).isEqualTo(whole);
    }
  }

  /**
   * CRC is affine: flipping a bit of the content flips a fixed pattern of the checksum, whatever
   * the rest is. So 32 bits of the value whose patterns are independent can be solved for any
   * checksum.
   */
  private static ByteBuffer batchWithChecksumZero() {
    int valueBits = 64;
    ByteBuffer batch =
        new RecordBatchBuilder()
            .append(T, null, ByteBuffer.wrap(new byte[valueBits / 8 + 8]))
            .build();
    int firstBit = (batch.limit() - 1 - valueBits / 8 - 4) * 8;
    int crc = RecordBatch.computeCrc(batch, 0, batch.limit());
    int[] patterns = new int[valueBits];
    long[] uses = new long[valueBits];
    for (int i = 0; i < valueBits; i++) {
      flip(batch, firstBit + i);
      patterns[i] = RecordBatch.computeCrc(batch, 0, batch.limit()) ^ crc;
      uses[i] = 1L << i;
      flip(batch, firstBit + i);
    }
    long solution = solve(patterns, uses, crc);
    for (int i = 0; i < valueBits; i++) {
      if ((solution >>> i & 1) != 0) {
        flip(batch, firstBit + i);
      }
    }
    RecordBatch view = RecordBatch.of(batch);
    view.writeCrc();
    assertThat(view.crc()).isZero();
    return batch;
  }

  /** Gauss over bits: which patterns, taken together, give the target. */
  private static long solve(int[] patterns, long[] uses, int target) {
    long solution = 0;
    int rest = target;
    int rank = 0;
    for (int bit = 31; bit >= 0; bit--) {
      int mask = 1 << bit;
      int pivot = rank;
      while (pivot < patterns.length && (patterns[pivot] & mask) == 0) {
        pivot++;
      }
      if (pivot == patterns.length) {
        continue;
      }
      swap(patterns, uses, rank, pivot);
      for (int i = rank + 1; i < patterns.length; i++) {
        if ((patterns[i] & mask) != 0) {
          patterns[i] ^= patterns[rank];
          uses[i] ^= uses[rank];
        }
      }
      if ((rest & mask) != 0) {
        rest ^= patterns[rank];
        solution ^= uses[rank];
      }
      rank++;
    }
    assertThat(rest).isZero();
    return solution;
  }

  private static void swap(int[] patterns, long[] uses, int a, int b) {
    int pattern = patterns[a];
    patterns[a] = patterns[b];
    patterns[b] = pattern;
    long use = uses[a];
    uses[a] = uses[b];
    uses[b] = use;
  }

  private static void flip(ByteBuffer buffer, int bit) {
    buffer.put(bit / 8, (byte) (buffer.get(bit / 8) ^ (1 << (bit % 8))));
  }

  @Test
  @DisplayName("ST-01 damage in a sealed segment before the recovery point is reported, not cut")
  void st01_sealedSegmentIsNeverCut() throws IOException {
    LogConfig config = LogConfig.defaults().toBuilder().segmentBytes(500).build();
    Path path = temporary.resolve("data");
    TestFolder folder = TestFolder.open(path, config);
    for (int i = 0; i < 20; i++) {
      folder.log().append(T + i);
    }
    folder.log().writer().flush();
    folder.directory().writeCheckpoints();
    TestFolder.copy(path, temporary.resolve("killed"));
    folder.close();
    Path sealed = temporary.resolve("killed/orders-0/00000000000000000000.log");
    byte[] content = Files.readAllBytes(sealed);
    Arrays.fill(content, 100, content.length, (byte) 0xff);
    Files.write(sealed, content);

    try (TestFolder killed = TestFolder.open(temporary.resolve("killed"), config)) {
      TestLog log = killed.log();
      assertThat(log.reader().logEndOffset()).isEqualTo(20);
      assertThat(Files.readAllBytes(sealed)).isEqualTo(content);
      assertThat(log.reader().segmentCount()).isGreaterThan(2);
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> log.read(3, 100, 20))
          .isInstanceOf(CorruptSegmentException.class)
          .hasMessageContaining("00000000000000000000.log at position");
      String second = killed.logFiles(".log").get(1).getFileName().toString();
      assertThat(log.reader().findByTimestamp(T + 3, 20).map(TimestampedOffset::offset))
          .as("the first record at or behind the time that can be read")
          .contains(Long.parseLong(second.substring(0, 20)));
    }
  }
}
