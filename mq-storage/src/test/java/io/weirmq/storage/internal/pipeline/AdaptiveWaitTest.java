package io.weirmq.storage.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import io.weirmq.storage.PipelineOptions;
import io.weirmq.storage.WaitStrategyKind;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class AdaptiveWaitTest {

  private static final Duration WAIT = Duration.ofSeconds(20);

  private final AppendRing ring = new AppendRing(8, new AdaptiveWaitStrategy(System::nanoTime));

  private void publish() {
    ring.publish(ring.tryClaim());
  }

  @Test
  void returnsAtOnceWhatIsThere() throws Exception {
    publish();
    publish();

    assertThat(ring.await(0)).isEqualTo(1);
  }

  @Test
  void sleepsUntilSomethingIsPublishedEachTime() throws Exception {
    for (int i = 0; i < 100; i++) {
      long sequence = i;
      CompletableFuture<Long> awaited = new CompletableFuture<>();
      Thread waiting = startWaiting(sequence, awaited);
      awaitSleep(waiting);

      publish();

      assertThat(awaited.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(sequence);
      ring.free(sequence);
      waiting.join();
    }
  }

  @Test
  void anAlertWakesIt() throws Exception {
    CompletableFuture<Long> awaited = new CompletableFuture<>();
    awaitSleep(startWaiting(0, awaited));

    ring.alertWriter();

    assertThat(awaited.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(-1);
  }

  @Test
  void noWakeUpIsLostBetweenThreadsThatPublishAndSleep() throws Exception {
    int count = 20_000;
    CompletableFuture<Long> last = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              long next = 0;
              try {
                while (next < count) {
                  long available = ring.await(next);
                  if (available >= next) {
                    ring.free(available);
                    next = available + 1;
                  }
                }
                last.complete(next);
              } catch (InterruptedException | RuntimeException e) {
                last.completeExceptionally(e);
              }
            });
    writer.setDaemon(true);
    writer.start();
    for (int i = 0; i < count; ) {
      long sequence = ring.tryClaim();
      if (sequence != AppendRing.FULL) {
        ring.publish(sequence);
        i++;
      }
    }

    assertThat(last.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(count);
  }

  @Test
  void looksNoLongerThanTheClockSays() throws Exception {
    long[] nowNs = {0};
    int[] reads = {0};
    AdaptiveWaitStrategy strategy =
        new AdaptiveWaitStrategy(
            () -> {
              reads[0]++;
              return nowNs[0] += LearnedLook.SHORT_NS / 2;
            });
    Sequence cursor = new Sequence(-1);
    SequenceBarrier alertedInSleep =
        new SequenceBarrier() {
          private int checks;

          @Override
          public long waitFor(long sequence) {
            throw new AssertionError("not used");
          }

          @Override
          public long getCursor() {
            return cursor.get();
          }

          @Override
          public boolean isAlerted() {
            return false;
          }

          @Override
          public void alert() {}

          @Override
          public void clearAlert() {}

          @Override
          public void checkAlert() throws AlertException {
            // 20 turns that spin, one that yields at 1 µs, one that ends at 2 µs, then the sleep's.
            if (++checks == 23) {
              throw AlertException.INSTANCE;
            }
          }
        };

    assertThatThrownBy(() -> strategy.waitFor(0, cursor, cursor, alertedInSleep))
        .isSameAs(AlertException.INSTANCE);
    assertThat(reads[0]).as("at the begin and after 1 and 2 µs").isEqualTo(3);
  }

  @Test
  void aPipelineWaitsSo() {
    try (PipelineFixture fixture =
        new PipelineFixture(
            PipelineOptions.defaults("test").withWaitStrategy(WaitStrategyKind.ADAPTIVE))) {
      awaitSleep(Objects.requireNonNull(fixture.writer.get()));
    }
  }

  private Thread startWaiting(long sequence, CompletableFuture<Long> awaited) {
    Thread thread =
        new Thread(
            () -> {
              try {
                awaited.complete(ring.await(sequence));
              } catch (InterruptedException | RuntimeException e) {
                awaited.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitSleep(Thread thread) {
    long deadlineNs = System.nanoTime() + WAIT.toNanos();
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(System.nanoTime()).as("asleep in time").isLessThan(deadlineNs);
      Thread.onSpinWait();
    }
  }
}
