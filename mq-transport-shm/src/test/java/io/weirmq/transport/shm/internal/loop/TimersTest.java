package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TimersTest {

  private long nowNanos = Long.MAX_VALUE - 1_000_000; // the clock may pass the end of long
  private final Timers timers = new Timers(() -> nowNanos);
  private final List<String> ran = new ArrayList<>();

  private void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    timers.runDue();
  }

  private Timer in(long millis, String name) {
    return timers.schedule(TimeUnit.MILLISECONDS.toNanos(millis), () -> ran.add(name));
  }

  @Test
  void runsWhatIsDueInTheOrderOfTheTimes() {
    in(30, "c");
    in(10, "a");
    in(20, "b");

    pass(9);
    assertThat(ran).isEmpty();
    pass(1);
    assertThat(ran).containsExactly("a");
    pass(100);
    assertThat(ran).containsExactly("a", "b", "c");
    pass(100);
    assertThat(ran).hasSize(3);
  }

  @Test
  void saysHowLongToWait() {
    assertThat(timers.millisUntilNext()).isZero();
    in(30, "a");
    assertThat(timers.millisUntilNext()).isEqualTo(30);
    nowNanos += 1;
    assertThat(timers.millisUntilNext()).as("rounded up, not to wake too early").isEqualTo(30);
    nowNanos += TimeUnit.MILLISECONDS.toNanos(40);
    assertThat(timers.millisUntilNext()).as("overdue, 0 would be for ever").isEqualTo(1);
  }

  @Test
  void forgetsWhatWasCancelled() {
    Timer cancelled = in(10, "a");
    in(10, "b");
    cancelled.cancel();
    cancelled.cancel();

    pass(10);

    assertThat(ran).containsExactly("b");
    cancelled.cancel();
  }

  @Test
  void doesNotPileUpWhatWasCancelled() {
    in(1, "kept");
    for (int i = 0; i < 10_000; i++) {
      in(100, "cancelled").cancel();
    }

    // At most 65 cancelled ones lie before the next one, whatever was cancelled before.
    pass(1);
    assertThat(ran).containsExactly("kept");
    pass(99);
    assertThat(ran).containsExactly("kept");
    assertThat(timers.millisUntilNext()).isZero();
  }

  @Test
  void aTaskMayScheduleAnother() {
    timers.schedule(0, () -> in(5, "later"));

    pass(0);
    pass(5);

    assertThat(ran).containsExactly("later");
  }
}
