package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EventLoopTest {

  private static final Duration WAIT = Duration.ofSeconds(20);

  private final EventLoop loop;
  private final Thread thread;

  EventLoopTest() throws IOException {
    loop = EventLoop.open(System::nanoTime, WaitStrategy.ADAPTIVE);
    thread = new Thread(loop, "loop-under-test");
    thread.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    loop.stop();
    thread.join(WAIT.toMillis());
    assertThat(thread.isAlive()).isFalse();
  }

  /** Counts its turns, and fails in the way a member's memory does. */
  private static class Counted implements LoopMember {
    final AtomicInteger turns = new AtomicInteger();
    final AtomicInteger faults = new AtomicInteger();
    final Patience patience = Patience.fixed();
    volatile boolean rests = true;

    @Override
    public Patience patience() {
      return patience;
    }

    @Override
    public int serve() {
      turns.incrementAndGet();
      return 0;
    }

    @Override
    public void wake() {}

    @Override
    public boolean rest() {
      return rests;
    }

    @Override
    public boolean memoryFailed(InternalError failure) {
      faults.incrementAndGet();
      return false;
    }

    @Override
    public void failsAgain(Throwable failure) {}

    @Override
    public void loopEnds() {}
  }

  private void onLoop(Runnable task) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          task.run();
          done.complete(null);
        });
    done.get(WAIT.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitSleep() {
    await().atMost(WAIT).pollInterval(Duration.ofMillis(1)).until(loop::isAsleep);
  }

  @Test
  void sm12_sleepsWhenAllMembersRest() throws Exception {
    Counted member = new Counted();
    onLoop(() -> loop.wake(member));

    awaitSleep();
    int turns = member.turns.get();
    assertThat(turns).isPositive();
    onLoop(() -> {});
    awaitSleep();

    assertThat(member.turns).as("a task wakes the loop, not a member at rest").hasValue(turns);
  }

  @Test
  void servesAMemberThatDoesNotRest() throws Exception {
    Counted member = new Counted();
    member.rests = false;
    onLoop(() -> loop.wake(member));

    await().atMost(WAIT).until(() -> member.turns.get() > 10_000);
    assertThat(loop.isAsleep()).isFalse();
    member.rests = true;

    awaitSleep();
  }

  @Test
  void runsTasksAndTimersAlsoWhileMembersAreAwake() throws Exception {
    Counted member = new Counted();
    member.rests = false;
    onLoop(() -> loop.wake(member));
    CompletableFuture<Thread> ran = new CompletableFuture<>();

    loop.execute(() -> loop.schedule(1_000, () -> ran.complete(Thread.currentThread())));

    assertThat(ran.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isSameAs(thread);
  }

  @Test
  void aTaskThatThrowsHarmsNoOther() throws Exception {
    loop.execute(
        () -> {
          throw new IllegalStateException("task fails on purpose");
        });

    onLoop(() -> {});
    assertThat(thread.isAlive()).isTrue();
  }

  @Test
  void survivesAMemoryFaultInATaskAndAsksAllMembers() throws Exception {
    Counted one = new Counted();
    Counted two = new Counted();
    onLoop(
        () -> {
          loop.join(one);
          loop.join(two);
        });
    awaitSleep();

    loop.execute(
        () -> {
          throw new InternalError("memory fails on purpose");
        });

    await().atMost(WAIT).until(() -> one.faults.get() == 1 && two.faults.get() == 1);
    assertThat(one.turns).as("all are served again").hasValueGreaterThan(0);
    awaitSleep();
    onLoop(
        () -> {
          loop.leave(one);
          loop.leave(two);
        });
  }

  @Test
  void timersRunAlsoWhileAMemberFailsInEachTurn() throws Exception {
    Counted failing =
        new Counted() {
          @Override
          public int serve() {
            throw new InternalError("memory fails on purpose");
          }
        };
    onLoop(
        () -> {
          loop.join(failing);
          loop.wake(failing);
        });
    CompletableFuture<Thread> ran = new CompletableFuture<>();

    loop.execute(() -> loop.schedule(1_000, () -> ran.complete(Thread.currentThread())));

    assertThat(ran.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isSameAs(thread);
  }

  @Test
  void survivesAMemoryFaultInATurn() throws Exception {
    Counted failing =
        new Counted() {
          @Override
          public int serve() {
            if (turns.getAndIncrement() == 5) {
              throw new InternalError("memory fails on purpose");
            }
            return 0;
          }
        };
    onLoop(
        () -> {
          loop.join(failing);
          loop.wake(failing);
        });

    await().atMost(WAIT).until(() -> failing.faults.get() == 1 && failing.turns.get() > 7);
    awaitSleep();
  }
}
