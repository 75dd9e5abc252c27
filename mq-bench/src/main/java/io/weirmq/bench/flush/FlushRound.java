package io.weirmq.bench.flush;

import io.weirmq.bench.host.BenchFolder;
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
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.io.NioLogFileSystem;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.random.RandomGenerator;
import org.HdrHistogram.Histogram;

/**
 * Appenders in closed loops on one log: each sends its next batch when the last one was answered.
 * One thread sends for all of them, as an I/O thread does for its connections.
 */
final class FlushRound {

  private static final TopicPartition NAME = new TopicPartition("bench", 0);
  private static final int SEGMENT_BYTES = 256 * 1024 * 1024;

  /** Lets the compiler and the disk settle before anything is counted. */
  private static final double WARM_UP_SHARE = 0.25;

  private final LogConfig config;
  private final int appenderCount;
  private final ByteBuffer[] batches;
  private final long[] sentNs;
  private final BlockingQueue<Integer> answered;

  private FlushRound(long flushMessages, int appenderCount, int batchBytes) {
    this.config =
        LogConfig.defaults().toBuilder()
            .flush(flushMessages, Long.MAX_VALUE)
            .segmentBytes(SEGMENT_BYTES)
            .build();
    this.appenderCount = appenderCount;
    this.batches = new ByteBuffer[appenderCount];
    this.sentNs = new long[appenderCount];
    this.answered = new ArrayBlockingQueue<>(appenderCount);
    for (int i = 0; i < appenderCount; i++) {
      batches[i] = batch(batchBytes, i);
      answered.add(i);
    }
  }

  /**
   * What a round found.
   *
   * @param appendsPerSecond answered appends
   * @param forcesPerSecond forces of files and folders
   * @param latencyNs from the append to its answer
   */
  record Outcome(double appendsPerSecond, double forcesPerSecond, Histogram latencyNs) {}

  /**
   * Runs a round in a folder of its own.
   *
   * @param flushMessages of the log; a batch is one record
   */
  static Outcome run(long flushMessages, int appenderCount, int batchBytes, Duration duration)
      throws IOException, InterruptedException {
    Path folder = BenchFolder.create();
    try {
      return new FlushRound(flushMessages, appenderCount, batchBytes).runIn(folder, duration);
    } finally {
      BenchFolder.remove(folder);
    }
  }

  private Outcome runIn(Path folder, Duration duration) throws IOException, InterruptedException {
    CountingFiles files = new CountingFiles(new NioLogFileSystem());
    InstantSource clock = InstantSource.system();
    try (LogDirectory directory =
            LogDirectories.open(folder, LogDirectoryOptions.of(1, "bench"), files, clock);
        AppendPipeline pipeline =
            AppendPipelines.open(
                PipelineOptions.defaults("bench"),
                Thread::new,
                clock,
                (who, error) -> error.printStackTrace())) {
      PartitionLog log = directory.create(NAME, UUID.randomUUID(), config);
      LogAppender appender =
          pipeline.attach(log, writer -> writer.advanceHighWatermark(writer.settledOffset()));
      long totalNs = duration.toNanos();
      loop(appender, (long) (totalNs * WARM_UP_SHARE), new Histogram(3));
      Histogram latency = new Histogram(3);
      long forcesBefore = files.forceCount();
      long start = System.nanoTime();
      loop(appender, totalNs, latency);
      double seconds = (System.nanoTime() - start) / 1e9;
      double forces = files.forceCount() - forcesBefore;
      awaitAll();
      return new Outcome(latency.getTotalCount() / seconds, forces / seconds, latency);
    }
  }

  private void loop(LogAppender appender, long forNs, Histogram latency)
      throws InterruptedException {
    long end = System.nanoTime() + forNs;
    while (System.nanoTime() < end) {
      int next = answered.take();
      long now = System.nanoTime();
      if (sentNs[next] != 0) {
        latency.recordValue(now - sentNs[next]);
      }
      sentNs[next] = now;
      batches[next].putLong(0, 0); // the last append has stamped its offset
      AppendRequest request = new AppendRequest(batches[next].duplicate(), AppendOrigin.CLIENT, 0);
      if (!appender.tryAppend(request, result -> onAnswer(next, result))) {
        throw new IllegalStateException(appenderCount + " appends don't fit into the ring");
      }
    }
  }

  private void onAnswer(int appender, AppendResult result) {
    if (!(result instanceof AppendResult.Appended)) {
      throw new IllegalStateException("append failed: " + result);
    }
    answered.add(appender);
  }

  private void awaitAll() throws InterruptedException {
    for (int i = 0; i < appenderCount; i++) {
      answered.take();
    }
  }

  /** One record of random bytes; its offsets are stamped in place. */
  private static ByteBuffer batch(int bytes, int seed) {
    byte[] value = new byte[bytes];
    RandomGenerator random = new SplittableRandom(seed);
    random.nextBytes(value);
    ByteBuffer batch =
        new RecordBatchBuilder()
            .append(InstantSource.system().millis(), null, ByteBuffer.wrap(value))
            .build();
    return ByteBuffer.allocateDirect(batch.remaining()).put(batch).flip();
  }
}
