package io.weirmq.storage.internal.pipeline;

import static io.weirmq.storage.internal.pipeline.FlushFixture.EACH;
import static io.weirmq.storage.internal.pipeline.FlushFixture.append;
import static io.weirmq.storage.internal.pipeline.FlushFixture.appendedAt;
import static io.weirmq.storage.internal.pipeline.FlushFixture.flushedOffset;
import static io.weirmq.storage.internal.pipeline.FlushFixture.recoveryPoint;
import static io.weirmq.storage.internal.pipeline.FlushFixture.sized;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.PartitionLog;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * ST-09: a force that takes long stops nobody who does not wait for it. Told by the order of
 * events: everything below happens while the force is held, so that no delay, however long, would
 * change it.
 */
class SlowForceTest {

  private static final int SEGMENT_BYTES = 500;

  @TempDir Path temporary;

  private FlushFixture open() throws Exception {
    return new FlushFixture(temporary.resolve("data"));
  }

  @Test
  @DisplayName("ST-09 a force that waiting appends hold does not stop other partitions")
  void st09_otherPartitionsGoOn() throws Exception {
    try (FlushFixture fixture = open()) {
      LogAppender slow = fixture.createAndAttach("slow", EACH);
      LogAppender other = fixture.createAndAttach("other", LogConfig.defaults());
      fixture.gate.close();
      CompletableFuture<AppendResult> waiting = append(slow);
      fixture.gate.awaitOne();

      for (int i = 0; i < 100; i++) {
        assertThat(get(append(other))).isEqualTo(appendedAt(i));
      }

      assertThat(waiting).isNotDone();
      assertThat(fixture.gate.begunCount()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("ST-09 a timed force does not stop appends of its own partition")
  void st09_samePartitionGoesOn() throws Exception {
    LogConfig timed = LogConfig.defaults().toBuilder().flush(Long.MAX_VALUE, 1_000).build();
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", timed);
      LogAppender appender = fixture.attach(log);
      assertThat(get(append(appender))).isEqualTo(appendedAt(0));
      fixture.gate.close();
      fixture.clock.advance(1_000);
      get(
          appender.execute(
              writer -> {
                writer.flushIfDue(fixture.clock.millis());
                return true;
              }));
      fixture.gate.awaitOne();

      for (int i = 1; i < 100; i++) {
        assertThat(get(append(appender))).isEqualTo(appendedAt(i));
        assertThat(log.highWatermark()).isEqualTo(i + 1);
      }

      assertThat(flushedOffset(log)).isZero();
      fixture.gate.release();
      get(appender.detach());
      assertThat(flushedOffset(log)).as("what was written when the force began").isEqualTo(1);
    }
  }

  @Test
  @DisplayName("ST-09 rolls do not wait for the old segment, which is forced in the background")
  void st09_rollsGoOn() throws Exception {
    LogConfig small = LogConfig.defaults().toBuilder().segmentBytes(SEGMENT_BYTES).build();
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", small);
      LogAppender appender = fixture.attach(log);
      fixture.gate.close();
      int count = 0;
      while (log.segmentCount() < 5) {
        assertThat(get(appender.append(sized(100)))).isEqualTo(appendedAt(count++));
      }
      fixture.gate.awaitOne();
      assertThat(fixture.gate.begunCount()).as("the first roll's, still held").isEqualTo(1);
      assertThat(flushedOffset(log)).isZero();

      // First segment alone, then the three that were sealed meanwhile, then nothing more.
      assertThat(fixture.gate.release().getFileName()).hasToString("00000000000000000000.log");
      for (int i = 0; i < 3; i++) {
        fixture.gate.release();
      }
      get(appender.detach());
      assertThat(fixture.gate.begunCount()).isEqualTo(4);
      long activeFrom = log.logEndOffset() - 1;
      assertThat(recoveryPoint(log)).as("base offset of the active segment").isEqualTo(activeFrom);
    }
  }

  @Test
  @DisplayName("ST-09 a roll while appends wait for the disk does not wait itself")
  void st09_rollsGoOnBesideParkedAppends() throws Exception {
    LogConfig small = EACH.toBuilder().segmentBytes(SEGMENT_BYTES).build();
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", small);
      LogAppender appender = fixture.attach(log);
      fixture.gate.close();
      CompletableFuture<AppendResult> first = appender.append(sized(100));
      fixture.gate.awaitOne();
      CompletableFuture<AppendResult> last = first;
      for (int i = 0; i < 10; i++) {
        last = appender.append(sized(100));
      }
      assertThat(FlushFixture.written(appender)).isEqualTo(11);
      assertThat(log.segmentCount()).isGreaterThan(3);
      assertThat(first).isNotDone();

      fixture.gate.open();

      assertThat(get(last)).isEqualTo(appendedAt(10));
      assertThat(flushedOffset(log)).isEqualTo(11);
    }
  }

  @Test
  @DisplayName("ST-09 more logs than one are forced at the same time")
  void st09_forcesOfSeveralLogsRunBesideEachOther() throws Exception {
    try (FlushFixture fixture = open()) {
      LogAppender one = fixture.createAndAttach("one", EACH);
      LogAppender two = fixture.createAndAttach("two", EACH);
      fixture.gate.close();
      CompletableFuture<AppendResult> first = append(one);
      fixture.gate.awaitOne();
      CompletableFuture<AppendResult> second = append(two);
      while (fixture.gate.heldCount() < 2) {
        Thread.onSpinWait();
      }
      assertThat(first).isNotDone();
      assertThat(second).isNotDone();
    }
  }
}
