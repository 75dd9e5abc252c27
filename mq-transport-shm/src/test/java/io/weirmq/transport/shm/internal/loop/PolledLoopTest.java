package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop that has no thread of its own. */
@Timeout(60)
final class PolledLoopTest {

  /** Longer than any test may take: a wait for so long is a failure. */
  private static final long FOREVER_MILLIS = 3_600_000;

  private static final Duration WAIT = Duration.ofSeconds(20);

  private final EventLoop loop;

  PolledLoopTest() throws IOException {
    loop = EventLoop.open(System::nanoTime, WaitStrategy.ADAPTIVE);
  }

  @AfterEach
  void stop() {
    loop.stop();
    loop.closeIfFree();
  }

  private CompletableFuture<Integer> pollElsewhere() {
    return CompletableFuture.supplyAsync(() -> loop.poll(FOREVER_MILLIS));
  }

  @Test
  void aStopEndsAPollThatSleeps() throws Exception {
    CompletableFuture<Integer> poll = pollElsewhere();
    await().atMost(WAIT).pollInterval(Duration.ofMillis(1)).until(loop::isAsleep);

    loop.stop();

    assertThat(poll.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isZero();
  }

  @Test
  void aPollWaitsForOneThatIsOnlyForAMoment() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    loop.execute(
        () -> {
          begun.countDown();
          awaitQuietly(ends);
        });
    CompletableFuture<Boolean> guest = CompletableFuture.supplyAsync(() -> loop.pollIfFree(0));
    begun.await();

    assertThat(loop.poll(0)).isZero();
    assertThat(loop.poll(3)).isZero();
    assertThat(loop.pollIfFree(0)).isFalse();
    CompletableFuture<Integer> waiting = pollElsewhere();
    ends.countDown();
    assertThat(guest.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    loop.execute(() -> {});

    assertThat(waiting.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isPositive();
  }

  @Test
  void refusesAPollBesideAnotherAndWithinOneForAMoment() throws Exception {
    AtomicReference<Throwable> nested = new AtomicReference<>();
    loop.execute(
        () -> {
          try {
            loop.poll(0);
          } catch (IllegalStateException e) {
            nested.set(e);
          }
        });
    assertThat(loop.pollIfFree(0)).isTrue();
    assertThat(nested.get()).hasMessageContaining("can't run a loop");

    CompletableFuture<Integer> other = pollElsewhere();
    await().atMost(WAIT).pollInterval(Duration.ofMillis(1)).until(loop::isAsleep);
    assertThatThrownBy(() -> loop.poll(0)).isInstanceOf(IllegalStateException.class);
    loop.wakeup();
    other.get(WAIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aWakeupIsKeptForThePollThatItIsMeantFor() {
    loop.wakeup();

    assertThat(loop.pollIfFree(1)).isTrue();

    assertThat(loop.poll(FOREVER_MILLIS)).isZero();
  }

  @Test
  void keepsAnInterruptThatEndsASleepAwayFromTheTurnAfterIt() throws Exception {
    Pipe pipe = Pipe.open();
    try (Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink()) {
      AtomicReference<Boolean> seen = new AtomicReference<>();
      source.configureBlocking(false);
      loop.register(
          source,
          SelectionKey.OP_READ,
          () -> {
            readByte(source);
            loop.execute(() -> seen.set(Thread.currentThread().isInterrupted()));
            Thread.currentThread().interrupt();
          });
      sink.write(ByteBuffer.wrap(new byte[1]));

      int work = loop.poll(FOREVER_MILLIS);

      assertThat(Thread.interrupted()).as("the interrupt is set when the poll returns").isTrue();
      assertThat(work).isPositive();
      assertThat(seen.get()).as("seen by the turn").isEqualTo(false);
      assertThat(source.isOpen()).isTrue();
    }
  }

  @Test
  void dropsATaskThatIsAddedWhileTheLoopIsBeingStopped() throws Exception {
    StoppedMeanwhile queue = new StoppedMeanwhile();
    EventLoop stopped =
        new EventLoop(Selector.open(), System::nanoTime, WaitStrategy.ADAPTIVE, queue);
    AtomicBoolean ran = new AtomicBoolean();
    queue.beforeAdd =
        () -> {
          stopped.stop();
          stopped.closeIfFree();
        };

    assertThat(stopped.execute(() -> ran.set(true))).as("will be run").isFalse();

    assertThat(queue.added).as("tasks that were past the look whether it stops").isOne();
    assertThat(queue).isEmpty();
    assertThat(stopped.poll(0)).isZero();
    assertThat(ran).isFalse();
  }

  @Test
  void runsATaskThatWaitsWhereTheLoopIsStoppedAndWhatItBringsAndDropsOneThatComesLater()
      throws Exception {
    List<String> ran = new ArrayList<>();
    assertThat(
            loop.execute(
                () -> {
                  ran.add("waited");
                  loop.execute(() -> ran.add("added by it"));
                }))
        .isTrue();

    loop.stop();
    assertThat(ran).isEmpty();
    loop.closeIfFree();
    loop.closeIfFree();

    assertThat(ran).containsExactly("waited", "added by it");
    assertThat(loop.execute(() -> ran.add("late"))).isFalse();
    assertThat(loop.poll(0)).isZero();
    assertThat(ran).hasSize(2);
  }

  @Test
  void keepsAnInterruptAwayFromWhatIsRunAtTheEnd() {
    AtomicBoolean seen = new AtomicBoolean(true);
    loop.execute(() -> seen.set(Thread.currentThread().isInterrupted()));

    loop.stop();
    Thread.currentThread().interrupt();
    loop.closeIfFree();

    assertThat(Thread.interrupted()).as("it is set again").isTrue();
    assertThat(seen).isFalse();
  }

  @Test
  void endsItsMembersWhereItIsStoppedAlsoOneThatATaskBringsThen() {
    Ending before = new Ending();
    Ending late = new Ending();
    loop.execute(() -> loop.join(before));
    loop.poll(0);
    loop.execute(() -> loop.join(late));

    loop.stop();
    loop.closeIfFree();

    assertThat(before.ends).isOne();
    assertThat(late.ends).isOne();
  }

  /** Ends by a task, as a connection does. */
  private final class Ending implements LoopMember {
    private final Patience patience = Patience.fixed();
    private int ends;

    @Override
    public void loopEnds() {
      loop.execute(
          () -> {
            loop.leave(this);
            ends++;
          });
    }

    @Override
    public int serve() {
      return 0;
    }

    @Override
    public Patience patience() {
      return patience;
    }

    @Override
    public void wake() {}

    @Override
    public boolean rest() {
      return true;
    }

    @Override
    public boolean memoryFailed(InternalError failure) {
      return false;
    }

    @Override
    public void failsAgain(Throwable failure) {}
  }

  /** Tasks of other threads; something happens just before one is there. */
  private static final class StoppedMeanwhile extends ConcurrentLinkedQueue<Runnable> {
    private static final long serialVersionUID = 1L;

    private transient Runnable beforeAdd = () -> {};
    private int added;

    @Override
    public boolean add(Runnable task) {
      beforeAdd.run();
      added++;
      return super.add(task);
    }
  }

  private static void readByte(Pipe.SourceChannel source) {
    try {
      assertThat(source.read(ByteBuffer.allocate(1))).isOne();
    } catch (IOException e) {
      throw new AssertionError("pipe can't be read", e);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted in a task", e);
    }
  }
}
