package io.weirmq.storage.internal.pipeline;

import static io.weirmq.storage.internal.pipeline.FlushFixture.EACH;
import static io.weirmq.storage.internal.pipeline.FlushFixture.append;
import static io.weirmq.storage.internal.pipeline.FlushFixture.appendedAt;
import static io.weirmq.storage.internal.pipeline.FlushFixture.flushedOffset;
import static io.weirmq.storage.internal.pipeline.FlushFixture.recoveryPoint;
import static io.weirmq.storage.internal.pipeline.FlushFixture.written;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.TopicPartition;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ST-10: what a force that failed covers never counts as flushed. */
class FailedForceTest {

  @TempDir Path temporary;

  private FlushFixture open() throws Exception {
    return new FlushFixture(temporary.resolve("data"));
  }

  @Test
  @DisplayName("ST-10 a failed force fails those that wait, and no later one covers its range")
  void st10_failedForce() throws Exception {
    FlushFixture fixture = open();
    PartitionLog log = fixture.create("a", EACH);
    LogAppender appender = fixture.attach(log);
    LogAppender other = fixture.createAndAttach("b", EACH);
    assertThat(get(append(appender))).isEqualTo(appendedAt(0));
    fixture.gate.close();
    CompletableFuture<AppendResult> covered = append(appender);
    fixture.gate.awaitOne();
    List<CompletableFuture<AppendResult>> gathered = append(appender, 3);
    assertThat(written(appender)).isEqualTo(5);
    int forcesBefore = fixture.gate.begunCount();

    fixture.gate.fail("EIO");
    fixture.gate.open();

    assertThat(cause(covered)).hasMessageContaining("can't be forced").hasMessageContaining("EIO");
    for (CompletableFuture<AppendResult> each : gathered) {
      assertThat(cause(each)).hasMessageContaining("EIO");
    }
    assertThat(cause(append(appender))).hasMessageContaining("EIO");
    assertThatThrownBy(
            () ->
                get(
                    appender.execute(
                        writer -> {
                          writer.flush();
                          return true;
                        })))
        .hasMessageContaining("EIO");
    assertThat(get(append(other))).as("another log goes on").isEqualTo(appendedAt(0));
    assertThat(fixture.gate.begunCount()).as("the other log's").isEqualTo(forcesBefore + 1);
    assertThat(flushedOffset(log)).isEqualTo(1);
    assertThat(log.highWatermark()).isEqualTo(1);
    LogSlice slice = log.read(0, 1_000, log.highWatermark(), true);
    assertThat(slice.lengthBytes()).as("reads go on").isPositive();
    slice.release();
    assertThatThrownBy(fixture::close).isInstanceOf(StorageException.class);
    assertThat(temporary.resolve("data/recovery-point-offset-checkpoint"))
        .as("as the one flush has left it, one below its end")
        .content()
        .contains("a 0 0\n");
    assertThat(temporary.resolve("data/.kafka_cleanshutdown")).doesNotExist();
    assertThat(temporary.resolve("data/a-0/force-failed")).content().contains("EIO");
    assertThat(temporary.resolve("data/b-0/force-failed")).doesNotExist();

    // The next start writes what is there again, here all of it.
    try (FlushFixture next = open()) {
      PartitionLog again = next.directory.log(new TopicPartition("a", 0)).orElseThrow();
      assertThat(again.logEndOffset()).isEqualTo(5);
      assertThat(temporary.resolve("data/a-0/force-failed")).doesNotExist();
      assertThat(get(append(next.attach(again)))).isEqualTo(appendedAt(5));
    }
  }

  private static StorageException cause(CompletableFuture<AppendResult> failed) throws Exception {
    return ((AppendResult.Failed) get(failed)).cause();
  }

  @Test
  @DisplayName("ST-10 names that can't be forced fail the log as its batches do")
  void st10_failedForceOfNames() throws Exception {
    FlushFixture fixture = open();
    PartitionLog log = fixture.create("a", EACH);
    LogAppender appender = fixture.attach(log);
    fixture.files.refuseForce(file -> file.endsWith("a-0"));
    assertThat(cause(append(appender))).hasMessageContaining("refused");
    fixture.files.allowAll();
    assertThat(cause(append(appender))).hasMessageContaining("refused");
    assertThat(recoveryPoint(log)).isZero();
    assertThatThrownBy(fixture::close).isInstanceOf(StorageException.class);
  }

  @Test
  @DisplayName("ST-10 a failed force in the background fails the appends behind it")
  void st10_failedForceInTheBackground() throws Exception {
    FlushFixture fixture = open();
    LogConfig small = LogConfig.defaults().toBuilder().segmentBytes(500).build();
    PartitionLog log = fixture.create("a", small);
    LogAppender appender = fixture.attach(log);
    fixture.gate.close();
    while (log.segmentCount() < 2) {
      get(append(appender));
    }
    fixture.gate.fail("EIO");
    get(appender.detach());
    LogAppender again = fixture.attach(log);
    assertThat(cause(append(again))).hasMessageContaining("EIO");
    assertThat(recoveryPoint(log)).isZero();
    fixture.gate.open();
    assertThatThrownBy(fixture::close).isInstanceOf(StorageException.class);
  }

  @Test
  @DisplayName("ST-10 an index that can't be forced holds the recovery point back, no append")
  void st10_indexThatCantBeForced() throws Exception {
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", EACH.toBuilder().segmentBytes(500).build());
      LogAppender appender = fixture.attach(log);
      fixture.files.refuseForce(file -> file.toString().endsWith(".timeindex"));
      int count = 0;
      long secondSegmentFrom = -1;
      while (log.segmentCount() < 4) {
        assertThat(get(append(appender))).isEqualTo(appendedAt(count));
        if (log.segmentCount() == 2 && secondSegmentFrom < 0) {
          secondSegmentFrom = count;
        }
        count++;
      }
      assertThat(log.highWatermark()).isEqualTo(count);
      assertThat(recoveryPoint(log))
          .as("at most the end of the segment whose index is not on the disk")
          .isLessThanOrEqualTo(secondSegmentFrom);

      fixture.files.allowAll();

      assertThat(get(append(appender))).isEqualTo(appendedAt(count));
      assertThat(flushedOffset(log)).isEqualTo(count + 1);
      assertThat(recoveryPoint(log)).isEqualTo(count);
    }
  }

  @Test
  @DisplayName("ST-10 what is thrown on a flush thread fails those that wait")
  void st10_unexpectedFailure() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(8)) {
      FakeLog log = new FakeLog("a");
      log.waitsForFlush = true;
      log.onFlush =
          () -> {
            throw new IllegalStateException("broken invariant");
          };
      LogAppender appender = fixture.attach(log);
      assertThat(cause(PipelineFixture.append(appender, 1)))
          .hasMessageContaining("a-0")
          .hasMessageContaining("broken invariant");
      log.onFlush = () -> {};
      assertThat(get(PipelineFixture.append(appender, 1))).isEqualTo(appendedAt(1));
      assertThat(fixture.fatal).hasNullValue();
    }
  }

  @Test
  @DisplayName("ST-10, OP-04 an Error on a flush thread ends the pipeline; all are answered")
  void st10_errorOnAFlushThread() throws Exception {
    AssertionError error = new AssertionError("heap is gone");
    PipelineFixture fixture = new PipelineFixture(8);
    FakeLog log = new FakeLog("a");
    log.waitsForFlush = true;
    log.onFlush =
        () -> {
          throw error;
        };
    LogAppender appender = fixture.attach(log);
    assertThat(cause(PipelineFixture.append(appender, 1))).hasRootCause(error);
    get(appender.detach());
    fixture.close();
    assertThat(fixture.fatal).hasValue(error);
  }

  @Test
  @DisplayName("OP-04 an Error in a callback answers parked appends too, and ends the pipeline")
  void op04_fatalErrorWhileAppendsAreParked() throws Exception {
    AssertionError error = new AssertionError("heap is gone");
    FlushFixture fixture = open();
    LogAppender appender = fixture.createAndAttach("a", EACH);
    LogAppender other = fixture.createAndAttach("b", LogConfig.defaults());
    fixture.gate.close();
    CompletableFuture<AppendResult> parked = append(appender);
    fixture.gate.awaitOne();
    CompletableFuture<Void> detached = appender.detach();
    other.tryAppend(
        FlushFixture.sized(1),
        result -> {
          throw error;
        });

    assertThat(cause(parked)).hasRootCause(error);
    assertThat(detached).as("the force is still under way").isNotDone();
    fixture.gate.open();
    get(detached);
    fixture.close();
    assertThat(fixture.fatal).hasValue(error);
  }
}
