package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers beside a writer that appends, rolls and removes. */
class ConcurrentReadTest {

  private static final long T = TestFolder.NOW_MS;
  private static final int READERS = 3;
  private static final int APPENDS = 6_000;

  /**
   * {@code -Dweirmq.stress.rolls=10000} is a longer run; each roll makes and removes four files.
   */
  private static final int ROLLS = Integer.getInteger("weirmq.stress.rolls", 1_000);

  @TempDir Path temporary;

  @Test
  @DisplayName("ST-11 readers see whole, checked batches in order, or that the offset is gone")
  void st11_readersBesideAWriterThatRollsAndRemoves() throws Exception {
    FaultyFileSystem files = new FaultyFileSystem();
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(4_000)
            .index(10_000, 200)
            .retentionMs(-1)
            .retentionBytes(20_000)
            .fileDeleteDelayMs(0)
            .build();
    TestFolder folder = TestFolder.open(temporary.resolve("data"), config, files);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    List<CompletableFuture<Long>> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      boolean follows = i == 0;
      long seed = i;
      readers.add(
          CompletableFuture.supplyAsync(
              () -> read(folder.log().reader(), done, follows, new Random(seed)), threads));
    }
    for (int i = 0; i < APPENDS; i++) {
      folder.log().append(batch(i));
      if (i % 50 == 0) {
        folder.log().writer().applyRetention(T);
        folder.directory().purgeDeleted(T);
      }
    }
    done.set(true);
    for (CompletableFuture<Long> reader : readers) {
      assertThat(reader.get()).isPositive();
    }
    threads.shutdown();
    assertThat(folder.logFiles(".deleted")).hasSizeLessThan(10);
    folder.close();
    assertThat(files.openCount()).as("files that are still open").isZero();
  }

  @Test
  @DisplayName(
      "ST-11 a reader beside rolls with retention at one segment leaves no removed file open")
  void st11_noRemovedFileStaysOpen() throws Exception {
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(1_000)
            .retentionMs(-1)
            .retentionBytes(0)
            .fileDeleteDelayMs(0)
            .build();
    TestFolder folder = TestFolder.open(temporary.resolve("rolls"), config);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(1);
    CompletableFuture<Long> reader =
        CompletableFuture.supplyAsync(
            () -> read(folder.log().reader(), done, false, new Random(1)), threads);
    for (int roll = 0; roll < ROLLS && !reader.isDone(); roll++) {
      folder.log().append(batch(roll));
      folder.log().writer().roll();
      folder.log().writer().applyRetention(T);
      folder.directory().purgeDeleted(T);
    }
    done.set(true);
    assertThat(reader.get()).isPositive();
    threads.shutdown();
    assertThat(folder.log().reader().segmentCount()).isEqualTo(1);

    assertThat(openFiles(folder.path()))
        .as("files of the folder that are open once the reader has left")
        .noneMatch(name -> name.contains("(deleted)"));
    folder.close();
    assertThat(openFiles(folder.path())).isEmpty();
  }

  /** The names that this process has open below a folder; empty where there is no /proc. */
  private static List<String> openFiles(Path below) throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(descriptors)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(descriptors)) {
        for (Path descriptor : stream) {
          try {
            names.add(Files.readSymbolicLink(descriptor).toString());
          } catch (NoSuchFileException e) {
            // That of the stream, or one that was closed since.
            assertThat(e.getFile()).startsWith("/proc/self/fd");
          }
        }
      }
    }
    return names.stream().filter(name -> name.startsWith(below.toString())).toList();
  }

  private static ByteBuffer batch(int number) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (int i = 0; i <= number % 3; i++) {
      builder.append(T, null, TestLog.bytes("batch " + number + " record " + i));
    }
    return builder.build();
  }

  /** Returns how many batches were checked. */
  private static long read(PartitionLog log, AtomicBoolean done, boolean follows, Random random) {
    long checked = 0;
    long next = 0;
    try {
      while (!done.get()) {
        // In this order: the high watermark never lies below a start that was seen before.
        long start = log.logStartOffset();
        long end = log.highWatermark();
        long offset = follows ? Math.max(next, start) : start + random.nextLong(end - start + 1);
        try {
          LogSlice slice = log.read(offset, 1 + random.nextInt(5_000), end, true);
          ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
          try {
            slice.readFully(bytes);
          } finally {
            slice.release();
          }
          long expected = slice.firstOffset();
          BatchCursor cursor = new BatchCursor(bytes.flip());
          while (cursor.next()) {
            RecordBatch batch = cursor.batch();
            batch.ensureValid();
            assertThat(batch.baseOffset()).isEqualTo(expected);
            assertThat(batch.lastOffset()).isLessThan(end);
            expected = batch.nextOffset();
            checked++;
          }
          if (offset < end) {
            assertThat(expected).as("progress at %d of %d", offset, end).isGreaterThan(offset);
          }
          next = expected;
        } catch (OffsetOutOfRangeException e) {
          assertThat(log.logStartOffset()).as("%s", e.getMessage()).isGreaterThan(offset);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return checked;
  }
}
