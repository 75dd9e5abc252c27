package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Flips bits of a log at random, one at a time, and reads around it as a consumer does that seeks
 * past what it can't have. Prints what it counted.
 *
 * <p>{@code -Dweirmq.flips.mib=256 -Dweirmq.flips.count=1000} is the full size.
 */
class BitFlipsTest {

  private static final int MIB = Integer.getInteger("weirmq.flips.mib", 4);
  private static final int COUNT = Integer.getInteger("weirmq.flips.count", 60);
  private static final long SEED = Long.getLong("weirmq.flips.seed", 20_261_130L);

  /** One in so many flips is followed by a read of the whole log; others by one of the places. */
  private static final int WHOLE_EVERY = 50;

  private static final int RECORDS = 16;

  @TempDir Path temporary;

  private final List<Integer> checksums = new ArrayList<>();

  @Test
  @Timeout(1_800)
  void aFlippedBitCostsAtMostItsBatch_andNothingWrongIsDelivered() throws IOException {
    Random random = new Random(SEED);
    LogConfig config =
        LogConfig.defaults().toBuilder().segmentBytes(Math.max(1, MIB / 16) << 20).build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), config);
    write(folder.log(), random);
    folder.stop();
    List<Path> files = folder.logFiles(".log");
    TreeMap<Integer, Integer> lostRecords = new TreeMap<>();
    int wrong = 0;
    long readBatches = 0;
    for (int i = 0; i < COUNT; i++) {
      Path file = files.get(random.nextInt(files.size()));
      long position = random.nextLong(file.toFile().length());
      int bit = random.nextInt(8);
      flip(file, position, bit);
      folder.start();
      Result result = read(folder.log(), i % WHOLE_EVERY == 0 ? 0 : firstBatchOf(file), i);
      folder.stop();
      flip(file, position, bit);
      lostRecords.merge(result.lostBatches * RECORDS, 1, Integer::sum);
      wrong += result.wrongBatches;
      readBatches += result.readBatches;
      assertThat(result.lostBatches)
          .as("seed %d, flip %d: bit %d of byte %d of %s", SEED, i, bit, position, file)
          .isEqualTo(1);
    }
    System.out.printf(
        "bit flips: %d in %d MiB (%d batches of %d records), seed %d: records lost per flip %s,"
            + " batches read %d, wrong batches delivered %d, crashes 0%n",
        COUNT, MIB, checksums.size(), RECORDS, SEED, lostRecords, readBatches, wrong);
    assertThat(wrong).isZero();
    folder.start();
    assertThat(read(folder.log(), 0, 0).lostBatches).as("with all bits back").isZero();
    folder.close();
  }

  private void write(TestLog log, Random random) throws IOException {
    byte[] value = new byte[1_000];
    while (log.reader().sizeBytes() < (long) MIB << 20) {
      RecordBatchBuilder builder = new RecordBatchBuilder();
      for (int i = 0; i < RECORDS; i++) {
        random.nextBytes(value);
        builder.append(TestFolder.NOW_MS, null, ByteBuffer.wrap(value.clone()));
      }
      ByteBuffer batch = builder.build();
      log.append(batch);
      checksums.add(checksum(batch));
    }
  }

  private int firstBatchOf(Path file) {
    long base = Long.parseLong(file.getFileName().toString().substring(0, 20));
    return Math.max(0, (int) (base / RECORDS) - 2);
  }

  private record Result(int lostBatches, int wrongBatches, long readBatches) {}

  /** Reads from a batch on to the end of the next segment, or of the log. */
  private Result read(TestLog log, int firstBatch, int run) throws IOException {
    long end = log.reader().logEndOffset();
    int last = checksums.size();
    if (run % WHOLE_EVERY != 0) {
      last = Math.min(last, firstBatch + (Math.max(1, MIB / 16) << 20) / (RECORDS * 1_000) + 8);
    }
    int lost = 0;
    int wrong = 0;
    long read = 0;
    int next = firstBatch;
    while (next < last) {
      byte[] bytes;
      try {
        bytes = log.read((long) next * RECORDS, 1 << 20, end);
      } catch (CorruptSegmentException e) {
        lost++;
        next++;
        continue;
      }
      ByteBuffer whole = ByteBuffer.wrap(bytes);
      BatchCursor cursor = new BatchCursor(whole);
      int at = 0;
      int before = next;
      while (cursor.next()) {
        int size = cursor.batch().sizeInBytes();
        boolean right =
            cursor.batch().baseOffset() == (long) next * RECORDS
                && checksum(whole.slice(at, size)) == checksums.get(next);
        wrong += right ? 0 : 1;
        at += size;
        next++;
        read++;
      }
      assertThat(next).as("progress at batch %d", before).isGreaterThan(before);
    }
    return new Result(lost, wrong, read);
  }

  /** Of the whole batch, header included. */
  private static int checksum(ByteBuffer batch) {
    CRC32C crc = new CRC32C();
    crc.update(batch.duplicate());
    return (int) crc.getValue();
  }

  private static void flip(Path file, long position, int bit) throws IOException {
    try (RandomAccessFile random = new RandomAccessFile(file.toFile(), "rw")) {
      random.seek(position);
      int value = random.read();
      random.seek(position);
      random.write(value ^ (1 << bit));
    }
  }
}
