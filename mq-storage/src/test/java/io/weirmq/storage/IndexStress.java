package io.weirmq.storage;

import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.fixture.TestFolder;
import io.weirmq.storage.fixture.TestLog;
import io.weirmq.storage.internal.AppendTarget;
import io.weirmq.storage.internal.WritableLog;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * A program in which threads search a log while its segments are closed for room, rolled, removed,
 * and get their indexes made anew. Exits with 0 where every search gave what it should, or told
 * that the offset is gone; otherwise it says what was wrong. Arguments: folder, rolls, seed.
 */
final class IndexStress {

  private static final long T = TestFolder.NOW_MS;
  private static final int SEARCHERS = 3;

  /** Fewer than the log has, so that segments are closed and opened all the time. */
  private static final int OPEN_SEGMENTS_MAX = 2;

  private static final int SEGMENTS_KEPT = 8;
  private static final int BATCHES_PER_SEGMENT = 8;
  private static final int VALUE_BYTES = 200;

  private final LogDirectory directory;
  private final PartitionLog log;
  private final AppendTarget writer;
  private final Path folder;
  private final Random random;
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicLong searches = new AtomicLong();

  private IndexStress(Path data, long seed) throws IOException {
    LogConfig config =
        LogConfig.defaults().toBuilder()
            .segmentBytes(BATCHES_PER_SEGMENT * 270)
            .index(10_000, 300)
            .retentionMs(-1)
            .retentionBytes((long) SEGMENTS_KEPT * BATCHES_PER_SEGMENT * 270)
            .fileDeleteDelayMs(0)
            .build();
    directory =
        LogDirectories.open(
            data,
            LogDirectoryOptions.of(1, "cluster").withOpenSegmentsMax(OPEN_SEGMENTS_MAX),
            new FaultyFileSystem(),
            new ManualClock(T));
    log = directory.create(TestFolder.PARTITION, TestFolder.TOPIC_ID, config);
    writer = ((WritableLog) log).appendTarget();
    folder = data.resolve(TestFolder.PARTITION.toString());
    random = new Random(seed);
  }

  public static void main(String[] arguments) throws Exception {
    long seed = Long.parseLong(arguments[2]);
    IndexStress stress = new IndexStress(Path.of(arguments[0]), seed);
    stress.run(Integer.parseInt(arguments[1]), seed);
  }

  private void run(int rolls, long seed) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < SEARCHERS; i++) {
      Random own = new Random(seed * 31 + i);
      Thread thread = new Thread(() -> search(own), "searcher-" + i);
      thread.start();
      threads.add(thread);
    }
    try {
      for (int roll = 0; roll < rolls && failure.get() == null; roll++) {
        fillSegment();
        writer.applyRetention(T);
        directory.purgeDeleted(T);
        damageAnIndex();
      }
    } finally {
      done.set(true);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable wrong = failure.get();
    if (wrong != null) {
      throw new AssertionError("seed " + seed, wrong);
    }
    directory.close();
    System.out.println("searches " + searches.get());
  }

  private void fillSegment() throws StorageException {
    for (int i = 0; i < BATCHES_PER_SEGMENT; i++) {
      long offset = log.logEndOffset();
      ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES).putLong(0, offset);
      ByteBuffer batch = new RecordBatchBuilder().append(T + offset, null, value).build();
      writer.stage(TestLog.validated(batch), AppendOrigin.CLIENT, 0, T + offset);
      writer.commit();
      writer.advanceHighWatermark(log.logEndOffset());
    }
  }

  /** Makes one entry of a sealed segment's index point somewhere else. */
  private void damageAnIndex() throws IOException {
    List<Path> indexes;
    try (Stream<Path> list = Files.list(folder)) {
      indexes = list.filter(file -> file.toString().endsWith("index")).sorted().toList();
    }
    Path victim = indexes.get(random.nextInt(indexes.size()));
    try (RandomAccessFile file = new RandomAccessFile(victim.toFile(), "rw")) {
      if (file.length() >= 24) {
        file.seek(random.nextInt((int) file.length() - 4));
        file.write(random.nextInt(256));
      }
    }
  }

  private void search(Random own) {
    try {
      while (!done.get()) {
        long start = log.logStartOffset();
        long end = log.highWatermark();
        if (end > start) {
          long offset = start + own.nextLong(end - start);
          try {
            if (own.nextBoolean()) {
              searchByOffset(offset, end);
            } else {
              searchByTime(offset, end);
            }
            searches.incrementAndGet();
          } catch (OffsetOutOfRangeException e) {
            check(log.logStartOffset() > offset, "in range after all: " + e.getMessage());
          }
        }
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private void searchByOffset(long offset, long end) throws IOException {
    LogSlice slice = log.read(offset, 1, end, true);
    ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
    try {
      slice.readFully(bytes);
    } finally {
      slice.release();
    }
    BatchCursor cursor = new BatchCursor(bytes.flip());
    check(cursor.next(), "no batch at offset " + offset);
    RecordBatch batch = cursor.batch();
    batch.ensureValid();
    check(batch.baseOffset() == offset, batch.baseOffset() + " instead of " + offset);
  }

  private void searchByTime(long offset, long end) throws StorageException {
    Optional<TimestampedOffset> found = log.findByTimestamp(T + offset, end);
    check(
        found.map(TimestampedOffset::offset).equals(Optional.of(offset))
            || log.logStartOffset() > offset,
        "time of offset %d of %s leads to %s".formatted(offset, log, found));
  }

  private static void check(boolean right, String message) {
    if (!right) {
      throw new AssertionError(message);
    }
  }
}
