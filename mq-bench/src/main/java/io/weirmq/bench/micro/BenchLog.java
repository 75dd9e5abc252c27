package io.weirmq.bench.micro;

import io.weirmq.bench.host.BenchFolder;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.WaitStrategyKind;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One log with a pipeline of its own, in a new folder that closing removes. Safe for use by several
 * threads, but for closing.
 */
final class BenchLog implements AutoCloseable {

  private static final TopicPartition NAME = new TopicPartition("bench", 0);

  private final Path folder;
  private final LogDirectory directory;
  private final AppendPipeline pipeline;
  private final PartitionLog log;
  private final LogAppender appender;
  private volatile @Nullable Thread writer;

  BenchLog(LogConfig config, WaitStrategyKind waitStrategy) throws IOException {
    folder = BenchFolder.create();
    InstantSource clock = InstantSource.system();
    directory =
        LogDirectories.open(
            folder,
            LogDirectoryOptions.of(1, "bench").withConfigOf(partition -> config),
            new NioLogFileSystem(),
            clock);
    log = directory.create(NAME, UUID.randomUUID(), config);
    pipeline =
        AppendPipelines.open(
            PipelineOptions.defaults("bench").withWaitStrategy(waitStrategy),
            this::thread,
            clock,
            (component, error) -> error.printStackTrace());
    appender = pipeline.attach(log, writer -> writer.advanceHighWatermark(writer.settledOffset()));
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "bench-append");
    if (writer == null) {
      writer = thread; // the pipeline makes its writer first
    }
    return thread;
  }

  PartitionLog log() {
    return log;
  }

  LogAppender appender() {
    return appender;
  }

  /** The thread that writes the log. */
  Thread writer() {
    Thread known = writer;
    if (known == null) {
      throw new IllegalStateException("the pipeline has made no thread");
    }
    return known;
  }

  @Override
  public void close() throws IOException {
    pipeline.close();
    directory.close();
    BenchFolder.remove(folder);
  }
}
