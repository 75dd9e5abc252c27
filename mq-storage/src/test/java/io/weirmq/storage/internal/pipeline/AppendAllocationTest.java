package io.weirmq.storage.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.record.RecordBatchBuilder;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Counts what an append allocates on both threads; the same for a batch of 1 and of 150 records.
 */
class AppendAllocationTest {

  // Interpreted code keeps objects that compiled code dissolves; the bound holds for both.
  private static final long BYTES_PER_APPEND_MAX = 1200;

  private static final int APPENDS = 2_000;

  @Test
  void anAppendAllocatesAFewSmallObjectsAndNothingPerRecord() throws Exception {
    long one = perAppend(batch(1));
    long many = perAppend(batch(150));

    assertThat(one).as("bytes per append of one record").isLessThan(BYTES_PER_APPEND_MAX);
    assertThat(many).as("bytes per append of 150 records").isLessThan(BYTES_PER_APPEND_MAX);
  }

  private static long perAppend(ByteBuffer batch) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (PipelineFixture fixture = new PipelineFixture(1024)) {
      FakeLog log = new FakeLog("a");
      log.recordsActs = false;
      LogAppender appender = fixture.attach(log);
      AppendRequest request = new AppendRequest(batch, AppendOrigin.CLIENT, 0);
      run(fixture, appender, request);
      long writerId = Objects.requireNonNull(fixture.writer.get()).getId();
      long before =
          threads.getCurrentThreadAllocatedBytes() + threads.getThreadAllocatedBytes(writerId);
      run(fixture, appender, request);
      long after =
          threads.getCurrentThreadAllocatedBytes() + threads.getThreadAllocatedBytes(writerId);
      return (after - before) / APPENDS;
    }
  }

  private static void run(PipelineFixture fixture, LogAppender appender, AppendRequest request) {
    for (int i = 1; i < APPENDS; i++) {
      while (!appender.tryAppend(request, result -> {})) {
        CompletableFuture<String> room = new CompletableFuture<>();
        fixture.pipeline.whenWritable(() -> room.complete("room"));
        room.join();
      }
    }
    CompletableFuture<AppendResult> last = new CompletableFuture<>();
    while (!appender.tryAppend(request, last::complete)) {
      Thread.onSpinWait();
    }
    last.join();
  }

  private static ByteBuffer batch(int count) {
    RecordBatchBuilder builder = new RecordBatchBuilder();
    for (int i = 0; i < count; i++) {
      builder.append(PipelineFixture.NOW_MS, null, ByteBuffer.wrap(new byte[90]));
    }
    return builder.build();
  }
}
