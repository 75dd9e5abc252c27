package io.weirmq.storage.internal.pipeline;

import static io.weirmq.storage.internal.pipeline.PipelineFixture.append;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.get;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.hold;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.RejectedAppendException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** OP-04 and OP-05: what throws fails its own request, and every append is answered once. */
class PipelineFailureTest {

  @Test
  @DisplayName("OP-04 a target, listener or callback that throws fails its own request only")
  void op04_whatThrowsFailsItsOwnRequestOnly() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(8)) {
      FakeLog log = new FakeLog("a");
      AtomicInteger stageCount = new AtomicInteger();
      log.onStage =
          () -> {
            if (stageCount.incrementAndGet() == 2) {
              throw new IllegalStateException("bad batch");
            }
          };
      LogAppender appender =
          fixture.pipeline.attach(
              log,
              writer -> {
                throw new IllegalStateException("bad listener");
              });
      CountDownLatch held = hold(appender);
      appender.tryAppend(
          request(1),
          result -> {
            throw new IllegalStateException("bad callback");
          });
      CompletableFuture<AppendResult> bad = append(appender, 1);
      CompletableFuture<AppendResult> good = append(appender, 1);
      held.countDown();

      assertThat(((AppendResult.Failed) get(bad)).cause()).hasMessageContaining("bad batch");
      assertThat(get(good)).isEqualTo(new AppendResult.Appended(1, 1, -1, 0));
      assertThat(fixture.fatal).hasNullValue();
    }
  }

  @Test
  @DisplayName("OP-04 a commit that throws unexpectedly fails the appends of its log only")
  void op04_unexpectedCommitFailure() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(8)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      log.onCommit =
          () -> {
            throw new IllegalStateException("broken invariant");
          };
      assertThat(((AppendResult.Failed) get(append(appender, 1))).cause())
          .hasMessageContaining("broken invariant");
      log.onCommit = () -> {};
      assertThat(get(append(appender, 1))).isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  @DisplayName(
      "OP-04 a hundred publishers on a ring of eight whose handler throws are all released")
  void op04_publishersAreReleasedWhenThePipelineStops() throws Exception {
    PipelineFixture fixture = new PipelineFixture(8);
    FakeLog log = new FakeLog("a");
    AtomicInteger stageCount = new AtomicInteger();
    log.recordsActs = false;
    log.onStage =
        () -> {
          if (stageCount.incrementAndGet() % 3 == 0) {
            throw new IllegalStateException("bad batch");
          }
        };
    LogAppender appender = fixture.attach(log);
    int publisherCount = 100;
    LongAdder answers = new LongAdder();
    LongAdder taken = new LongAdder();
    CountDownLatch someAnswers = new CountDownLatch(200);
    List<Thread> publishers = new ArrayList<>();
    for (int i = 0; i < publisherCount; i++) {
      publishers.add(
          new Thread(
              () -> {
                boolean closed = false;
                while (!closed) {
                  CompletableFuture<AppendResult> result = new CompletableFuture<>();
                  if (appender.tryAppend(request(1), result::complete)) {
                    taken.increment();
                    closed = isClosed(result.join());
                    answers.increment();
                    someAnswers.countDown();
                  } else {
                    CompletableFuture<String> room = new CompletableFuture<>();
                    fixture.pipeline.whenWritable(() -> room.complete("room"));
                    room.join();
                  }
                }
              },
              "publisher-" + i));
    }
    publishers.forEach(Thread::start);
    assertThat(someAnswers.await(30, TimeUnit.SECONDS)).isTrue();

    fixture.close();

    for (Thread publisher : publishers) {
      publisher.join(TimeUnit.SECONDS.toMillis(30));
      assertThat(publisher.isAlive()).as("publisher is still blocked").isFalse();
    }
    assertThat(answers.sum()).isEqualTo(taken.sum());
    assertThat(fixture.fatal).hasNullValue();
  }

  private static boolean isClosed(AppendResult result) {
    return result instanceof AppendResult.Failed failed
        && failed.cause() instanceof RejectedAppendException;
  }

  @Test
  @DisplayName("OP-03, OP-04 an Error reaches the fatal handler after everybody was answered")
  void op04_fatalErrorClosesThePipelineAndReleasesEverybody() throws Exception {
    PipelineFixture fixture = new PipelineFixture(4);
    FakeLog log = new FakeLog("a");
    LogAppender appender = fixture.attach(log);
    AssertionError error = new AssertionError("heap is gone");
    log.onStage =
        () -> {
          throw error;
        };
    CountDownLatch held = hold(appender);
    CompletableFuture<AppendResult> first = append(appender, 1);
    CompletableFuture<Object> task = appender.execute(writer -> "never");
    CompletableFuture<AppendResult> second = append(appender, 1);
    assertThat(appender.tryAppend(request(1), result -> {})).isFalse();
    CompletableFuture<String> woken = new CompletableFuture<>();
    fixture.pipeline.whenWritable(() -> woken.complete("woken"));
    CompletableFuture<Void> detached = appender.detach();
    held.countDown();

    assertThat(((AppendResult.Failed) get(first)).cause())
        .isInstanceOf(RejectedAppendException.class)
        .hasRootCause(error);
    assertThat(get(second)).isInstanceOf(AppendResult.Failed.class);
    assertThatThrownBy(() -> get(task)).hasRootCause(error);
    assertThat(get(woken)).isEqualTo("woken");
    get(detached);
    fixture.close();
    assertThat(fixture.fatal).hasValue(error);
  }

  @Test
  @DisplayName("OP-05 every append that was taken is answered, however soon the stop follows")
  void op05_stopRightAfterPublish() throws Exception {
    int rounds = 10_000;
    long answered = 0;
    AppendRequest request = request(1);
    for (int round = 0; round < rounds; round++) {
      PipelineFixture fixture = new PipelineFixture(8);
      FakeLog log = new FakeLog("a");
      log.recordsActs = false;
      LogAppender appender = fixture.attach(log);
      LongAdder answers = new LongAdder();
      int taken = 0;
      for (int i = 0; i < 3; i++) {
        if (appender.tryAppend(request, result -> answers.increment())) {
          taken++;
        }
      }
      fixture.close();
      if (answers.sum() != taken) {
        fail("round %d: %d taken, %d answered".formatted(round, taken, answers.sum()));
      }
      answered += taken;
    }
    assertThat(answered).isEqualTo(3L * rounds);
  }

  @Test
  @DisplayName("OP-05 appends of other threads race with the stop and are answered all the same")
  void op05_publishersRaceWithTheStop() throws Exception {
    for (int round = 0; round < 300; round++) {
      PipelineFixture fixture = new PipelineFixture(4);
      FakeLog log = new FakeLog("a");
      log.recordsActs = false;
      LogAppender appender = fixture.attach(log);
      LongAdder taken = new LongAdder();
      LongAdder answers = new LongAdder();
      CountDownLatch started = new CountDownLatch(2);
      List<Thread> publishers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Thread publisher =
            new Thread(
                () -> {
                  started.countDown();
                  for (int n = 0; n < 20; n++) {
                    if (appender.tryAppend(request(1), result -> answers.increment())) {
                      taken.increment();
                    }
                  }
                });
        publishers.add(publisher);
        publisher.start();
      }
      started.await();
      fixture.close();
      for (Thread publisher : publishers) {
        publisher.join();
      }
      assertThat(answers.sum()).as("round %d", round).isEqualTo(taken.sum());
    }
  }
}
