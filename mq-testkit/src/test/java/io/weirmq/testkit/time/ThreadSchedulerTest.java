package io.weirmq.testkit.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ThreadSchedulerTest {

  @Test
  void runsTasksInOrderInItsOwnThread() throws Exception {
    List<String> ran = new CopyOnWriteArrayList<>();
    CountDownLatch done = new CountDownLatch(1);
    try (ThreadScheduler scheduler =
        new ThreadScheduler(System::nanoTime, task -> new Thread(task, "stepper"))) {
      scheduler.schedule(Duration.ofMillis(20), done::countDown);
      scheduler.execute(() -> ran.add("a " + Thread.currentThread().getName()));
      scheduler.runAndWait(() -> ran.add("b " + Thread.currentThread().getName()));

      assertThat(ran).containsExactly("a stepper", "b stepper");
      assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void dropsTasksAfterTheCloseAndTellsOfTasksThatFail() {
    ThreadScheduler scheduler =
        new ThreadScheduler(System::nanoTime, task -> new Thread(task, "stepper"));
    assertThatThrownBy(
            () ->
                scheduler.runAndWait(
                    () -> {
                      throw new IllegalArgumentException("on purpose");
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("on purpose");
    List<String> ran = new CopyOnWriteArrayList<>();

    scheduler.close();
    scheduler.execute(() -> ran.add("late"));
    scheduler.runAndWait(() -> ran.add("inline"));

    assertThat(ran).containsExactly("inline");
  }
}
