package io.weirmq.testkit.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.CleanerOptions;
import io.weirmq.storage.CompactionConfig;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogCleaner;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.record.BatchCursor;
import io.weirmq.storage.record.RecordBatchBuilder;
import io.weirmq.storage.record.RecordCursor;
import io.weirmq.testkit.time.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Cuts power in the middle of compaction: unforced bytes and names are lost, kept, torn or in
 * another order. Other seeds: {@code -Dweirmq.powercut.seed=N -Dweirmq.powercut.seeds=COUNT}.
 */
class CompactionPowerCutTest {

  private static final Path FOLDER = Path.of("/data");
  private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
  private static final long DELETE_RETENTION_MS = 1_000;
  private static final int KEYS = 30;

  private final Map<String, String> model = new TreeMap<>();
  private VirtualClock clock = new VirtualClock();

  @Test
  @DisplayName("ST-13 a power cut at any change of compaction: the latest values, each once")
  void st13_powerCutInTheMiddleOfCompaction() throws Exception {
    long first = Long.getLong("weirmq.powercut.seed", 1);
    int count = Integer.getInteger("weirmq.powercut.seeds", 300);
    int cuts = 0;
    for (long seed = first; seed < first + count; seed++) {
      try {
        cuts += run(seed) ? 1 : 0;
      } catch (Exception | AssertionError e) {
        throw new AssertionError("-Dweirmq.powercut.seed=" + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(cuts).as("runs that the cut has ended").isGreaterThan(count / 2);
  }

  private boolean run(long seed) throws Exception {
    model.clear();
    clock = new VirtualClock();
    Random random = new Random(seed);
    InMemoryFileSystem disk = new InMemoryFileSystem(clock);
    disk.createDirectories(FOLDER);
    disk.forceDirectory(Path.of("/"));
    LogConfig config = config(random.nextBoolean() ? 2_000 : 600);
    long end;
    boolean cut;
    try (Running running = Running.open(disk, config(2_000), clock)) {
      running.fill(random, model, 30);
      running.compact(random);
      clock.advance(Duration.ofMillis(2 * DELETE_RETENTION_MS));
      running.fill(random, model, 30);
      end = running.log.logEndOffset();
      running.execute(
          writer -> {
            writer.reconfigure(config);
            return true;
          });
      disk.faults().powerOffAfter(random.nextInt(120));
      cut = running.compactUntilTheCut(random);
      disk.faults().powerOff();
    }
    InMemoryFileSystem left = disk.cutPower(PowerCut.seeded(seed));
    if (random.nextInt(3) == 0) {
      left = cutTheRestart(left, config, random, seed);
    }
    try (Running running = Running.open(left, config, clock)) {
      assertThat(running.log.logEndOffset()).isEqualTo(end);
      running.raiseHighWatermark();
      assertThat(running.latest()).isEqualTo(model);
      clock.advance(Duration.ofMillis(2 * DELETE_RETENTION_MS));
      running.compact(random);
      assertThat(running.latest()).as("compacted again").isEqualTo(model);
    }
    return cut;
  }

  private InMemoryFileSystem cutTheRestart(
      InMemoryFileSystem disk, LogConfig config, Random random, long seed) {
    disk.faults().powerOffAfter(random.nextInt(40));
    try (Running running = Running.open(disk, config, clock)) {
      disk.faults().powerOff();
      assertThat(running.log).isNotNull();
    } catch (Exception e) {
      assertThat(disk.faults().isPowerOff()).as("%s", e).isTrue();
    }
    return disk.cutPower(PowerCut.seeded(seed + 1));
  }

  private static LogConfig config(int segmentBytes) {
    return LogConfig.defaults().toBuilder()
        .segmentBytes(segmentBytes)
        .index(10_000, 200)
        .cleanupPolicy(true, false)
        .compaction(CompactionConfig.defaults().withDeleteRetentionMs(DELETE_RETENTION_MS))
        .build();
  }

  /** A data folder with one log that is open. */
  private static final class Running implements AutoCloseable {
    private final InMemoryFileSystem disk;
    private final VirtualClock clock;
    private final LogDirectory directory;
    private final AppendPipeline pipeline;
    private final PartitionLog log;
    private final LogAppender appender;

    private Running(
        InMemoryFileSystem disk,
        VirtualClock clock,
        LogDirectory directory,
        AppendPipeline pipeline,
        PartitionLog log) {
      this.disk = disk;
      this.clock = clock;
      this.directory = directory;
      this.pipeline = pipeline;
      this.log = log;
      this.appender =
          pipeline.attach(log, writer -> writer.advanceHighWatermark(log.logEndOffset()));
    }

    static Running open(InMemoryFileSystem disk, LogConfig config, VirtualClock clock)
        throws StorageException {
      LogDirectory directory =
          LogDirectories.open(
              FOLDER,
              LogDirectoryOptions.of(1, "cluster").withConfigOf(partition -> config),
              disk,
              clock);
      PartitionLog log =
          directory.log(PARTITION).isPresent()
              ? directory.log(PARTITION).get()
              : directory.create(PARTITION, new UUID(1, 2), config);
      AppendPipeline pipeline =
          AppendPipelines.open(
              PipelineOptions.defaults("test"), Thread::new, clock, (component, error) -> {});
      return new Running(disk, clock, directory, pipeline, log);
    }

    <T> void execute(LogAppender.WriterTask<T> task)
        throws InterruptedException, ExecutionException {
      appender.execute(task).get();
    }

    void raiseHighWatermark() throws Exception {
      execute(
          writer -> {
            writer.advanceHighWatermark(log.logEndOffset());
            return true;
          });
    }

    /** Appends batches and puts all on the disk, the last one in the active segment. */
    void fill(Random random, Map<String, String> model, int batches) throws Exception {
      for (int i = 0; i < batches; i++) {
        append(random, model, 1 + random.nextInt(5));
      }
      execute(Running::roll);
      append(random, model, 1);
      execute(
          writer -> {
            writer.flush();
            return true;
          });
      directory.writeCheckpoints();
    }

    private static boolean roll(LogWriter writer) throws StorageException {
      writer.roll();
      return true;
    }

    private void append(Random random, Map<String, String> model, int count) throws Exception {
      RecordBatchBuilder builder = new RecordBatchBuilder();
      for (int i = 0; i < count; i++) {
        String key = "key-" + random.nextInt(KEYS);
        String value = "value-" + random.nextInt() + "x".repeat(random.nextInt(60));
        boolean tombstone = random.nextInt(3) == 0;
        builder.append(clock.millis(), bytes(key), tombstone ? null : bytes(value));
        if (tombstone) {
          model.remove(key);
        } else {
          model.put(key, value);
        }
      }
      AppendResult result =
          appender.append(new AppendRequest(builder.build(), AppendOrigin.CLIENT, 0)).get();
      assertThat(result).isInstanceOf(AppendResult.Appended.class);
    }

    void compact(Random random) throws StorageException {
      LogCleaner cleaner =
          new LogCleaner(
              CleanerOptions.defaults().withMapBytes(1 << 16).withBufferBytes(4_096),
              clock,
              () -> 0,
              nanos -> {},
              random::nextLong);
      cleaner.clean(log, appender::execute, () -> false);
    }

    /** Returns whether the power went off before the run had ended. */
    boolean compactUntilTheCut(Random random) throws StorageException {
      try {
        compact(random);
        return false;
      } catch (StorageException e) {
        if (!disk.faults().isPowerOff()) {
          throw e;
        }
        return true;
      }
    }

    Map<String, String> latest() throws IOException {
      Map<String, String> latest = new TreeMap<>();
      long next = log.logStartOffset();
      long before = -1;
      try (RecordCursor cursor = new RecordCursor(new Decompressor())) {
        while (next < log.logEndOffset()) {
          BatchCursor batches = new BatchCursor(read(next));
          while (batches.next()) {
            batches.batch().ensureValid();
            cursor.open(batches.batch());
            while (cursor.next()) {
              assertThat(cursor.offset()).isGreaterThan(before);
              before = cursor.offset();
              String key = text(Objects.requireNonNull(cursor.record().key()));
              ByteBuffer value = cursor.record().value();
              if (value == null) {
                latest.remove(key);
              } else {
                latest.put(key, text(value));
              }
            }
            next = batches.batch().nextOffset();
          }
        }
      }
      return latest;
    }

    private ByteBuffer read(long offset) throws IOException {
      LogSlice slice = log.read(offset, 10_000, log.logEndOffset(), true);
      try {
        ByteBuffer bytes = ByteBuffer.allocate(slice.lengthBytes());
        slice.readFully(bytes);
        return bytes.flip();
      } finally {
        slice.release();
      }
    }

    private static ByteBuffer bytes(String text) {
      return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer bytes) {
      return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }

    @Override
    public void close() throws StorageException {
      appender.detach().join();
      pipeline.close();
      try {
        directory.close();
      } catch (StorageException e) {
        if (!disk.faults().isPowerOff()) {
          throw e;
        }
      }
    }
  }
}
