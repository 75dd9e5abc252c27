package io.weirmq.bench.restart;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.LogWriter;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The process that {@link RestartCommand} kills: fills a log, says so, and waits for its end. */
final class RestartWriter {

  static final String READY = "ready";
  static final String SEALED = "sealed";
  static final String ACTIVE = "active";
  static final String CLUSTER_ID = "restart";
  static final TopicPartition PARTITION = new TopicPartition("restart", 0);

  private static final int RECORDS_PER_BATCH = 120;
  private static final int VALUE_BYTES = 1024;
  private static final long MIB = 1024 * 1024;

  private final LogAppender appender;
  private final SplittableRandom random = new SplittableRandom(1);
  private long slowestNs;

  private RestartWriter(LogAppender appender) {
    this.appender = appender;
  }

  /**
   * Fills the log.
   *
   * @param args folder; {@code sealed} or {@code active}; MiB to flush where they are not there
   *     yet, and in the first case to seal before; MiB of tail; bytes from one segment checkpoint
   *     to the next
   */
  @SuppressWarnings("resource") // the process is killed with everything open
  public static void main(String[] args) throws Exception {
    InstantSource clock = InstantSource.system();
    LogConfig config = new LogConfig.Builder().retentionMs(-1).build();
    LogDirectory directory =
        LogDirectories.open(
            Path.of(args[0]),
            LogDirectoryOptions.of(1, CLUSTER_ID)
                .withConfigOf(partition -> config)
                .withSegmentCheckpointBytes(Integer.parseInt(args[4])),
            new NioLogFileSystem(),
            clock);
    Optional<PartitionLog> known = directory.log(PARTITION);
    PartitionLog log =
        known.isPresent() ? known.get() : directory.create(PARTITION, UUID.randomUUID(), config);
    AppendPipeline pipeline =
        AppendPipelines.open(
            PipelineOptions.defaults("restart"),
            Thread::new,
            clock,
            (component, error) -> Runtime.getRuntime().halt(1));
    LogAppender appender =
        pipeline.attach(log, writer -> writer.advanceHighWatermark(log.logEndOffset()));
    RestartWriter writer = new RestartWriter(appender);
    long startNs = System.nanoTime();
    writer.fill(log, Long.parseLong(args[2]) * MIB);
    double seconds = (System.nanoTime() - startNs) / (double) TimeUnit.SECONDS.toNanos(1);
    long writtenBytes = log.sizeBytes();
    appender.execute(args[1].equals(SEALED) ? RestartWriter::seal : RestartWriter::flush).get();
    directory.writeCheckpoints();
    writer.fill(log, log.sizeBytes() + Long.parseLong(args[3]) * MIB);
    System.out.printf(
        Locale.ROOT,
        "%s %.0f MiB/s, slowest append %.1f ms%n",
        READY,
        writtenBytes / (double) MIB / seconds,
        writer.slowestNs / 1e6);
    new CountDownLatch(1).await();
  }

  private static boolean seal(LogWriter writer) throws StorageException {
    writer.roll();
    writer.flush();
    return true;
  }

  private static boolean flush(LogWriter writer) throws StorageException {
    writer.flush();
    return true;
  }

  private void fill(PartitionLog log, long bytes) throws Exception {
    while (log.sizeBytes() < bytes) {
      ByteBuffer batch = batch();
      long startNs = System.nanoTime();
      AppendResult result = appender.append(new AppendRequest(batch, AppendOrigin.CLIENT, 0)).get();
      slowestNs = Math.max(slowestNs, System.nanoTime() - startNs);
      if (!(result instanceof AppendResult.Appended)) {
        throw new IllegalStateException("not appended: " + result);
      }
    }
  }

  private ByteBuffer batch() {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    byte[] value = new byte[VALUE_BYTES];
    long nowMs = System.currentTimeMillis();
    for (int i = 0; i < RECORDS_PER_BATCH; i++) {
      random.nextBytes(value);
      builder.append(nowMs, null, ByteBuffer.wrap(value));
    }
    return builder.build();
  }
}
