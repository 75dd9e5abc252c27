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
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** The process that {@link RestartCommand} kills: fills a log, says so, and waits for its end. */
final class RestartWriter {

  static final String READY = "ready";
  static final String CLUSTER_ID = "restart";
  static final TopicPartition PARTITION = new TopicPartition("restart", 0);

  private static final int RECORDS_PER_BATCH = 120;
  private static final int VALUE_BYTES = 1024;
  private static final long MIB = 1024 * 1024;

  private final LogAppender appender;
  private final SplittableRandom random = new SplittableRandom(1);

  private RestartWriter(LogAppender appender) {
    this.appender = appender;
  }

  /**
   * Fills the log.
   *
   * @param args folder, MiB to seal and flush where they are not there yet, MiB of tail
   */
  @SuppressWarnings("resource") // the process is killed with everything open
  public static void main(String[] args) throws Exception {
    InstantSource clock = InstantSource.system();
    LogConfig config = new LogConfig.Builder().retentionMs(-1).build();
    LogDirectory directory =
        LogDirectories.open(
            Path.of(args[0]),
            LogDirectoryOptions.of(1, CLUSTER_ID).withConfigOf(partition -> config),
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
    writer.fill(log, Long.parseLong(args[1]) * MIB);
    appender.execute(RestartWriter::seal).get();
    directory.writeCheckpoints();
    writer.fill(log, log.sizeBytes() + Long.parseLong(args[2]) * MIB);
    System.out.println(READY);
    new CountDownLatch(1).await();
  }

  private static boolean seal(LogWriter writer) throws StorageException {
    writer.roll();
    writer.flush();
    return true;
  }

  private void fill(PartitionLog log, long bytes) throws Exception {
    while (log.sizeBytes() < bytes) {
      AppendResult result =
          appender.append(new AppendRequest(batch(), AppendOrigin.CLIENT, 0)).get();
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
