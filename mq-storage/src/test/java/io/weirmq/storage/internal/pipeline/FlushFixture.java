package io.weirmq.storage.internal.pipeline;

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
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import io.weirmq.storage.fixture.FaultyFileSystem;
import io.weirmq.storage.fixture.ForceGate;
import io.weirmq.storage.fixture.ManualClock;
import io.weirmq.storage.internal.log.SegmentedLog;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A pipeline over real logs whose forces a test steps; log files pass through the gate. */
final class FlushFixture implements AutoCloseable {

  static final long NOW_MS = PipelineFixture.NOW_MS;

  /** Every append waits for the disk. */
  static final LogConfig EACH = LogConfig.defaults().toBuilder().flush(1, Long.MAX_VALUE).build();

  final FaultyFileSystem files = new FaultyFileSystem();
  final ForceGate gate = new ForceGate(path -> path.toString().endsWith(".log"));
  final ManualClock clock = new ManualClock(NOW_MS);
  final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
  final Path path;
  final LogDirectory directory;
  final AppendPipeline pipeline;

  FlushFixture(Path path) throws StorageException {
    this(path, PipelineOptions.defaults("test"));
  }

  FlushFixture(Path path, PipelineOptions options) throws StorageException {
    this.path = path;
    files.forceThrough(gate);
    directory = LogDirectories.open(path, LogDirectoryOptions.of(1, "c"), files, clock);
    pipeline =
        AppendPipelines.open(
            options,
            body -> daemon(body, "append-test"),
            body -> daemon(body, "flush-test"),
            clock,
            (component, error) -> fatal.set(error));
  }

  private static Thread daemon(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    return thread;
  }

  PartitionLog create(String topic, LogConfig config) throws StorageException {
    return directory.create(new TopicPartition(topic, 0), new UUID(1, topic.hashCode()), config);
  }

  /** Attaches a log as its leader that is alone in sync does. */
  LogAppender attach(PartitionLog log) {
    return pipeline.attach(log, writer -> writer.advanceHighWatermark(writer.settledOffset()));
  }

  LogAppender createAndAttach(String topic, LogConfig config) throws StorageException {
    return attach(create(topic, config));
  }

  static AppendRequest sized(int valueBytes) {
    return request(
        new RecordBatchBuilder().append(NOW_MS, null, ByteBuffer.allocate(valueBytes)).build());
  }

  static AppendRequest ofProducer(int sequence) {
    return request(
        new RecordBatchBuilder()
            .producer(7, (short) 0, sequence)
            .append(NOW_MS, null, ByteBuffer.allocate(10))
            .build());
  }

  private static AppendRequest request(ByteBuffer batch) {
    return new AppendRequest(batch, AppendOrigin.CLIENT, 0);
  }

  static CompletableFuture<AppendResult> append(LogAppender appender) {
    return appender.append(sized(10));
  }

  static List<CompletableFuture<AppendResult>> append(LogAppender appender, int count) {
    List<CompletableFuture<AppendResult>> results = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      results.add(append(appender));
    }
    return results;
  }

  /** Waits until all that was queued is written, and returns the log end. */
  static long written(LogAppender appender) throws Exception {
    return PipelineFixture.get(appender.execute(writer -> writer.log().logEndOffset()));
  }

  static AppendResult.Appended appendedAt(long offset) {
    return new AppendResult.Appended(offset, offset, -1, 0);
  }

  static long flushedOffset(PartitionLog log) {
    return ((SegmentedLog) log).flushedOffset();
  }

  static long recoveryPoint(PartitionLog log) {
    return ((SegmentedLog) log).recoveryPoint();
  }

  /** Ends pipeline and folder; forces are let go. */
  @Override
  public void close() throws StorageException {
    gate.open();
    pipeline.close();
    directory.close();
  }
}
