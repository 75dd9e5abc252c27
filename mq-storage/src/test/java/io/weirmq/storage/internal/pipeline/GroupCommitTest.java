package io.weirmq.storage.internal.pipeline;

import static io.weirmq.storage.internal.pipeline.FlushFixture.EACH;
import static io.weirmq.storage.internal.pipeline.FlushFixture.append;
import static io.weirmq.storage.internal.pipeline.FlushFixture.appendedAt;
import static io.weirmq.storage.internal.pipeline.FlushFixture.ofProducer;
import static io.weirmq.storage.internal.pipeline.FlushFixture.written;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.RejectedAppendException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One force serves all appends that wait for it. */
class GroupCommitTest {

  @TempDir Path temporary;

  private FlushFixture open() throws Exception {
    return new FlushFixture(temporary.resolve("data"));
  }

  @Test
  void whatGathersDuringAForceSharesTheNextOne() throws Exception {
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", EACH);
      LogAppender appender = fixture.attach(log);
      List<Long> order = Collections.synchronizedList(new ArrayList<>());
      fixture.gate.close();
      CompletableFuture<AppendResult> first = append(appender);
      fixture.gate.awaitOne();
      List<CompletableFuture<AppendResult>> others = append(appender, 50);
      others.forEach(
          other -> other.thenAccept(r -> order.add(((AppendResult.Appended) r).baseOffset())));

      assertThat(written(appender)).isEqualTo(51);
      assertThat(log.highWatermark()).as("what may be read").isZero();
      assertThat(first).isNotDone();
      assertThat(others).noneMatch(CompletableFuture::isDone);

      fixture.gate.release();
      assertThat(get(first)).isEqualTo(appendedAt(0));
      fixture.gate.awaitOne();
      assertThat(log.highWatermark()).isEqualTo(1);
      assertThat(others).noneMatch(CompletableFuture::isDone);

      fixture.gate.release();
      for (int i = 0; i < 50; i++) {
        assertThat(get(others.get(i))).isEqualTo(appendedAt(1 + i));
      }
      assertThat(order).hasSize(50).isSorted();
      assertThat(log.highWatermark()).isEqualTo(51);
      assertThat(fixture.gate.begunCount()).isEqualTo(2);
      assertThat(FlushFixture.flushedOffset(log)).isEqualTo(51);
    }
  }

  @Test
  void oneRecordLessThanFlushMessagesMayWaitUnanswered() throws Exception {
    try (FlushFixture fixture = open()) {
      PartitionLog log =
          fixture.create("a", LogConfig.defaults().toBuilder().flush(3, Long.MAX_VALUE).build());
      LogAppender appender = fixture.attach(log);
      fixture.gate.close();
      assertThat(get(append(appender))).isEqualTo(appendedAt(0));
      assertThat(get(append(appender))).isEqualTo(appendedAt(1));
      assertThat(fixture.gate.begunCount()).isZero();

      CompletableFuture<AppendResult> third = append(appender);
      fixture.gate.awaitOne();
      List<CompletableFuture<AppendResult>> later = append(appender, 3);
      assertThat(written(appender)).isEqualTo(6);
      assertThat(third).isNotDone();
      assertThat(log.highWatermark()).isEqualTo(2);

      fixture.gate.release();
      assertThat(get(third)).isEqualTo(appendedAt(2));
      assertThat(get(later.get(0))).as("3 are on the disk").isEqualTo(appendedAt(3));
      assertThat(get(later.get(1))).isEqualTo(appendedAt(4));
      fixture.gate.awaitOne();
      assertThat(later.get(2)).isNotDone();
      fixture.gate.release();
      assertThat(get(later.get(2))).isEqualTo(appendedAt(5));
    }
  }

  @Test
  void whatComesBehindAParkedAppendWaitsWithIt_refusedOrRepeated() throws Exception {
    try (FlushFixture fixture = open()) {
      LogAppender appender = fixture.createAndAttach("a", EACH);
      List<String> order = Collections.synchronizedList(new ArrayList<>());
      fixture.gate.close();
      CompletableFuture<AppendResult> first = appender.append(ofProducer(0));
      CompletableFuture<AppendResult> gap = appender.append(ofProducer(5));
      CompletableFuture<AppendResult> repeated = appender.append(ofProducer(0));
      first.thenAccept(r -> order.add("first"));
      gap.thenAccept(r -> order.add("gap"));
      repeated.thenAccept(r -> order.add("repeated"));
      fixture.gate.awaitOne();
      assertThat(written(appender)).isEqualTo(1);
      assertThat(order).isEmpty();

      fixture.gate.release();

      assertThat(get(repeated)).isEqualTo(new AppendResult.Duplicate(0, 0, -1, 0));
      assertThat(get(gap)).isInstanceOf(AppendResult.Rejected.class);
      assertThat(order).containsExactly("first", "gap", "repeated");
      assertThat(fixture.gate.begunCount()).isEqualTo(1);
    }
  }

  @Test
  void aLogWithTooManyParkedAppendsTakesNoMore_othersDo() throws Exception {
    int ringSize = 4;
    int parkedMax = 3;
    try (FlushFixture fixture =
        new FlushFixture(
            temporary.resolve("data"),
            PipelineOptions.defaults("test").withRingSize(ringSize).withFlushing(1, parkedMax))) {
      LogAppender appender = fixture.createAndAttach("a", EACH);
      LogAppender other = fixture.createAndAttach("b", LogConfig.defaults());
      AtomicInteger answers = new AtomicInteger();
      fixture.gate.close();
      int taken = 0;
      for (int i = 0; i < parkedMax; i++) {
        assertThat(appender.tryAppend(FlushFixture.sized(10), r -> answers.incrementAndGet()))
            .isTrue();
        taken++;
        written(appender);
      }
      assertThat(appender.tryAppend(FlushFixture.sized(10), r -> answers.incrementAndGet()))
          .isFalse();
      CompletableFuture<Boolean> later = new CompletableFuture<>();
      appender.whenWritable(
          () ->
              later.complete(
                  appender.tryAppend(FlushFixture.sized(10), r -> answers.incrementAndGet())));
      for (int i = 0; i < 20; i++) {
        assertThat(get(append(other))).isEqualTo(appendedAt(i));
      }
      assertThat(later).isNotDone();
      assertThat(answers).hasValue(0);

      fixture.gate.open();

      assertThat(get(later)).isTrue();
      get(appender.detach());
      assertThat(answers).hasValue(taken + 1);
    }
  }

  @Test
  void closingWaitsForTheDisk_andAnswersWhatIsParked() throws Exception {
    FlushFixture fixture = open();
    LogAppender appender = fixture.createAndAttach("a", EACH);
    fixture.gate.close();
    List<CompletableFuture<AppendResult>> parked = append(appender, 3);
    assertThat(written(appender)).isEqualTo(3);
    Thread closing = new Thread(fixture.pipeline::close, "closing");
    closing.start();
    CompletableFuture<Long> task = appender.execute(writer -> 0L);
    while (!task.isCompletedExceptionally()) {
      task = appender.execute(writer -> 0L);
    }
    AppendResult refused = get(append(appender));
    assertThat(((AppendResult.Failed) refused).cause()).isInstanceOf(RejectedAppendException.class);
    assertThat(parked).noneMatch(CompletableFuture::isDone);
    assertThat(closing.isAlive()).isTrue();

    fixture.gate.open();

    for (int i = 0; i < 3; i++) {
      assertThat(get(parked.get(i))).isEqualTo(appendedAt(i));
    }
    closing.join();
    fixture.close();
    assertThat(fixture.fatal).hasNullValue();
  }

  @Test
  void givingALogBackWaitsForItsDiskOnly() throws Exception {
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", EACH);
      LogAppender appender = fixture.attach(log);
      LogAppender other = fixture.createAndAttach("b", LogConfig.defaults());
      fixture.gate.close();
      List<CompletableFuture<AppendResult>> parked = append(appender, 2);
      fixture.gate.awaitOne();
      CompletableFuture<Void> detached = appender.detach();
      get(append(other));
      get(other.detach());
      assertThat(detached).isNotDone();
      assertThat(parked).noneMatch(CompletableFuture::isDone);

      fixture.gate.open();

      get(detached);
      assertThat(parked.get(0)).isCompletedWithValue(appendedAt(0));
      assertThat(parked.get(1)).isCompletedWithValue(appendedAt(1));
      assertThat(get(append(fixture.attach(log)))).isEqualTo(appendedAt(2));
    }
  }

  @Test
  void aLogThatIsCutWhileAppendsWaitFailsThem() throws Exception {
    try (FlushFixture fixture = open()) {
      PartitionLog log = fixture.create("a", EACH);
      LogAppender appender = fixture.attach(log);
      fixture.gate.close();
      CompletableFuture<AppendResult> parked = append(appender);
      fixture.gate.awaitOne();
      get(
          appender.execute(
              writer -> {
                writer.truncateTo(0);
                return true;
              }));
      CompletableFuture<AppendResult> again = append(appender);
      assertThat(written(appender)).isEqualTo(1);

      fixture.gate.release();

      assertThat(get(parked)).isInstanceOf(AppendResult.Failed.class);
      fixture.gate.awaitOne();
      assertThat(again).as("the force before the cut says nothing about it").isNotDone();
      assertThat(FlushFixture.flushedOffset(log)).isZero();
      assertThat(log.highWatermark()).isZero();
      fixture.gate.release();
      assertThat(get(again)).isEqualTo(appendedAt(0));
      assertThat(FlushFixture.flushedOffset(log)).isEqualTo(1);
    }
  }
}
