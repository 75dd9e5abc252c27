package io.weirmq.storage.internal.pipeline;

import static io.weirmq.storage.internal.pipeline.PipelineFixture.append;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.get;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.hold;
import static io.weirmq.storage.internal.pipeline.PipelineFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.AppendRequest;
import io.weirmq.storage.AppendResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.RejectedAppendException;
import io.weirmq.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AppendPipelineTest {

  @Test
  void commitsWhatWaitsInOneWriteAndAnswersInOffsetOrder() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      List<Long> order = Collections.synchronizedList(new ArrayList<>());
      CountDownLatch held = hold(appender);
      log.acts.clear();
      List<CompletableFuture<AppendResult>> results = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        // Who waits for a future that has dependents may run them itself, beside the writer.
        results.add(
            append(appender, 2)
                .thenApply(
                    r -> {
                      order.add(((AppendResult.Appended) r).baseOffset());
                      return r;
                    }));
      }
      held.countDown();

      for (CompletableFuture<AppendResult> result : results) {
        get(result);
      }

      assertThat(order).containsExactly(0L, 2L, 4L, 6L, 8L);
      assertThat(log.acts)
          .containsExactly("stage", "stage", "stage", "stage", "stage", "commit", "listener");
    }
  }

  @Test
  void commitsEarlyOnceTheStagedBytesReachTheirBound() throws Exception {
    int batchBytes = request(2).records().remaining();
    try (PipelineFixture fixture =
        new PipelineFixture(
            PipelineOptions.defaults("test").withRingSize(16).withStagedBytesMax(2 * batchBytes))) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      CountDownLatch held = hold(appender);
      log.acts.clear();
      List<CompletableFuture<AppendResult>> results = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        results.add(append(appender, 2));
      }
      held.countDown();
      for (CompletableFuture<AppendResult> result : results) {
        get(result);
      }

      assertThat(log.commitCount).isEqualTo(3);
    }
  }

  @Test
  void tellsARefusalAtOnceOnTheCallingThread() {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      LogAppender appender = fixture.attach(new FakeLog("a"));
      List<Thread> threads = new ArrayList<>();
      List<AppendResult> results = new ArrayList<>();
      ByteBuffer batch = request(1).records();
      batch.put(batch.limit() - 1, (byte) 99);

      boolean taken =
          appender.tryAppend(
              new AppendRequest(batch, AppendOrigin.CLIENT, 0),
              result -> {
                threads.add(Thread.currentThread());
                results.add(result);
              });

      assertThat(taken).isTrue();
      assertThat(threads).containsExactly(Thread.currentThread());
      assertThat(results).singleElement().isInstanceOf(AppendResult.Rejected.class);
    }
  }

  @Test
  void runsTasksInOrderBetweenAppends() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      CountDownLatch held = hold(appender);
      log.acts.clear();
      append(appender, 1);
      CompletableFuture<Long> endSeen =
          appender.execute(
              writer -> {
                log.act("task");
                return writer.log().logEndOffset();
              });
      CompletableFuture<AppendResult> last = append(appender, 1);
      held.countDown();
      get(last);

      assertThat(get(endSeen)).isEqualTo(1);
      assertThat(log.acts)
          .containsExactly("stage", "commit", "listener", "task", "stage", "commit", "listener");
    }
  }

  @Test
  void failsATaskThatThrowsAndGoesOn() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      LogAppender appender = fixture.attach(new FakeLog("a"));

      CompletableFuture<Object> failed =
          appender.execute(
              writer -> {
                throw new StorageException("no");
              });

      assertThatThrownBy(() -> get(failed))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(StorageException.class);
      assertThat(get(append(appender, 1))).isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  void failsAllStagedAppendsOfALogWhoseCommitFailsButNotOfOthers() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      FakeLog broken = new FakeLog("broken");
      FakeLog sound = new FakeLog("sound");
      LogAppender toBroken = fixture.attach(broken);
      LogAppender toSound = fixture.attach(sound);
      CountDownLatch held = hold(toSound);
      broken.onCommit =
          () -> {
            throw new StorageException("disk full");
          };
      CompletableFuture<AppendResult> first = append(toBroken, 1);
      CompletableFuture<AppendResult> other = append(toSound, 1);
      CompletableFuture<AppendResult> second = append(toBroken, 1);
      held.countDown();

      assertThat(get(first)).isInstanceOf(AppendResult.Failed.class);
      assertThat(get(second)).isInstanceOf(AppendResult.Failed.class);
      assertThat(get(other)).isEqualTo(new AppendResult.Appended(0, 0, -1, 0));
      broken.onCommit = () -> {};
      assertThat(get(append(toBroken, 1))).isEqualTo(new AppendResult.Appended(0, 0, -1, 0));
    }
  }

  @Test
  void answersWhatARollCommittedBeforeTheRestFailed() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      CountDownLatch held = hold(appender);
      log.onStage =
          () -> {
            if (log.stagedEnd == 1) {
              log.endOffset = 1; // as a roll does with what was staged before
            }
          };
      log.onCommit =
          () -> {
            throw new StorageException("disk full");
          };
      CompletableFuture<AppendResult> first = append(appender, 1);
      CompletableFuture<AppendResult> second = append(appender, 1);
      held.countDown();

      assertThat(get(first)).isInstanceOf(AppendResult.Appended.class);
      assertThat(get(second)).isInstanceOf(AppendResult.Failed.class);
    }
  }

  @Test
  void failsTheAppendsThatAFailedFlushCovers() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(16)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      log.waitsForFlush = true;
      log.onFlush =
          () -> {
            throw new StorageException("EIO");
          };

      AppendResult result = get(append(appender, 1));

      assertThat(result).isInstanceOf(AppendResult.Failed.class);
      assertThat(((AppendResult.Failed) result).cause()).hasMessage("EIO");
    }
  }

  @Test
  void refusesWhatFindsTheRingFullAndWakesWhoWaits() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(2)) {
      LogAppender appender = fixture.attach(new FakeLog("a"));
      CountDownLatch held = hold(appender);
      CompletableFuture<AppendResult> taken = append(appender, 1);

      assertThat(appender.tryAppend(request(1), result -> {})).isFalse();
      CompletableFuture<Object> refused = appender.execute(writer -> "never");
      assertThatThrownBy(() -> get(refused))
          .cause()
          .isInstanceOfSatisfying(
              RejectedAppendException.class, e -> assertThat(e.isFull()).isTrue());
      CompletableFuture<AppendResult> later = new CompletableFuture<>();
      fixture.pipeline.whenWritable(
          () -> {
            if (!appender.tryAppend(request(1), later::complete)) {
              later.completeExceptionally(new IllegalStateException("woken without room"));
            }
          });
      assertThat(later).isNotDone();
      held.countDown();

      assertThat(get(taken)).isInstanceOf(AppendResult.Appended.class);
      assertThat(get(later)).isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  void wakesAtOnceWhereThereIsRoom() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(2)) {
      CompletableFuture<Thread> woken = new CompletableFuture<>();
      fixture.pipeline.whenWritable(() -> woken.complete(Thread.currentThread()));
      assertThat(woken).isCompletedWithValue(Thread.currentThread());
    }
  }

  @Test
  void givesALogBackAlsoWhereTheRingIsFull() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(2)) {
      FakeLog log = new FakeLog("a");
      LogAppender appender = fixture.attach(log);
      CountDownLatch held = hold(appender);
      CompletableFuture<AppendResult> before = append(appender, 1);

      CompletableFuture<Void> detached = appender.detach();
      assertThat(detached).isNotDone();
      CompletableFuture<AppendResult> after = append(appender, 1);
      held.countDown();

      get(detached);
      assertThat(get(before)).isInstanceOf(AppendResult.Appended.class);
      assertThat(((AppendResult.Failed) get(after)).cause())
          .isInstanceOf(RejectedAppendException.class)
          .hasMessageContaining("a-0");
      assertThat(appender.detach()).isDone();
      assertThatThrownBy(() -> get(appender.execute(writer -> "never")))
          .hasCauseInstanceOf(RejectedAppendException.class);
      // The log may go to a pipeline again.
      assertThat(get(append(fixture.attach(log), 1))).isInstanceOf(AppendResult.Appended.class);
    }
  }

  @Test
  void givesALogBackWhereTheRingIsEmpty() throws Exception {
    try (PipelineFixture fixture = new PipelineFixture(2)) {
      for (int i = 0; i < 200; i++) {
        get(fixture.attach(new FakeLog("a" + i)).detach());
      }
    }
  }

  @Test
  void refusesToAttachALogTwice() {
    try (PipelineFixture fixture = new PipelineFixture(2)) {
      FakeLog log = new FakeLog("a");
      fixture.attach(log);
      assertThatThrownBy(() -> fixture.attach(log))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a-0");
    }
  }

  @Test
  void answersAndReleasesEverybodyOnceItIsClosed() throws Exception {
    PipelineFixture fixture = new PipelineFixture(2);
    LogAppender appender = fixture.attach(new FakeLog("a"));
    fixture.close();
    fixture.close();

    assertThat(((AppendResult.Failed) get(append(appender, 1))).cause())
        .isInstanceOf(RejectedAppendException.class)
        .hasMessage("pipeline test is closed");
    assertThatThrownBy(() -> get(appender.execute(writer -> "never")))
        .cause()
        .isInstanceOfSatisfying(
            RejectedAppendException.class, e -> assertThat(e.isFull()).isFalse());
    assertThat(appender.detach()).isDone();
    CompletableFuture<String> woken = new CompletableFuture<>();
    fixture.pipeline.whenWritable(() -> woken.complete("woken"));
    assertThat(woken).isCompletedWithValue("woken");
    assertThat(fixture.fatal).hasNullValue();
  }

  @Test
  void closesFromACallbackWithoutADeadlock() throws Exception {
    PipelineFixture fixture = new PipelineFixture(4);
    LogAppender appender = fixture.attach(new FakeLog("a"));
    CompletableFuture<AppendResult> result = new CompletableFuture<>();
    appender.tryAppend(
        request(1),
        outcome -> {
          fixture.pipeline.close();
          result.complete(outcome);
        });

    assertThat(get(result)).isInstanceOf(AppendResult.Appended.class);
    Thread writer = Objects.requireNonNull(fixture.writer.get());
    writer.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(writer.isAlive()).isFalse();
  }
}
