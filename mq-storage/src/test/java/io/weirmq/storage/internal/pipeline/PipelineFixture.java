package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendPipeline;
import io.weirmq.storage.AppendPipelines;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A pipeline over fake logs, with means to hold its writer still. */
final class PipelineFixture implements AutoCloseable {

  static final long NOW_MS = 1_700_000_000_000L;

  final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
  final AtomicReference<@Nullable Thread> writer = new AtomicReference<>();
  final AppendPipeline pipeline;

  PipelineFixture(int ringSize) {
    this(PipelineOptions.defaults("test").withRingSize(ringSize));
  }

  PipelineFixture(PipelineOptions options) {
    pipeline =
        AppendPipelines.open(
            options,
            this::newThread,
            body -> new Thread(body, "flush-test"),
            InstantSource.fixed(java.time.Instant.ofEpochMilli(NOW_MS)),
            (component, error) -> fatal.set(error));
  }

  private Thread newThread(Runnable body) {
    Thread thread = new Thread(body, "append-test");
    thread.setDaemon(true);
    writer.set(thread);
    return thread;
  }

  LogAppender attach(FakeLog log) {
    return pipeline.attach(log, writer -> log.act("listener"));
  }

  static AppendRequest request(int recordCount) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (int i = 0; i < recordCount; i++) {
      builder.append(NOW_MS, null, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    return new AppendRequest(builder.build(), AppendOrigin.CLIENT, 0);
  }

  /** Appends, and fails where the ring is full. */
  static CompletableFuture<AppendResult> append(LogAppender appender, int recordCount) {
    CompletableFuture<AppendResult> result = new CompletableFuture<>();
    if (!appender.tryAppend(request(recordCount), result::complete)) {
      throw new IllegalStateException("the ring is full");
    }
    return result;
  }

  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  /** Holds the writer inside a task until the result is counted down. */
  static CountDownLatch hold(LogAppender appender) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    appender.execute(
        writer -> {
          entered.countDown();
          released.await();
          return "held";
        });
    if (!entered.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the writer does not run");
    }
    return released;
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
