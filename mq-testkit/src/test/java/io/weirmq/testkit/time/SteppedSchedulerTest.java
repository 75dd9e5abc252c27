package io.weirmq.testkit.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SteppedSchedulerTest {

  private final VirtualClock clock = new VirtualClock();
  private final SteppedScheduler scheduler = new SteppedScheduler(clock);
  private final List<String> ran = new ArrayList<>();

  @Test
  void runsTasksOfTheSameTimeInTheOrderGiven() {
    scheduler.execute(() -> ran.add("a"));
    scheduler.execute(() -> ran.add("b"));
    scheduler.execute(() -> ran.add("c"));

    assertThat(scheduler.runNext()).isTrue();
    assertThat(ran).containsExactly("a");
    assertThat(scheduler.runDue()).isEqualTo(2);
    assertThat(ran).containsExactly("a", "b", "c");
    assertThat(scheduler.runNext()).isFalse();
  }

  @Test
  void runsEachTaskAtItsTime() {
    scheduler.schedule(Duration.ofSeconds(2), () -> ran.add("two at " + clock.nanoTime()));
    scheduler.schedule(Duration.ofSeconds(1), () -> ran.add("one at " + clock.nanoTime()));

    assertThat(scheduler.runDue()).isZero();
    scheduler.advance(Duration.ofMillis(1_999));
    assertThat(ran).containsExactly("one at 1000000000");
    scheduler.advance(Duration.ofMillis(1));

    assertThat(ran).containsExactly("one at 1000000000", "two at 2000000000");
    assertThat(clock.instant()).isEqualTo(VirtualClock.START.plusSeconds(2));
  }

  @Test
  void runsWhatATaskSchedulesWithinTheSameAdvance() {
    scheduler.schedule(
        Duration.ofSeconds(1),
        () -> scheduler.schedule(Duration.ofSeconds(1), () -> ran.add("second")));

    scheduler.advance(Duration.ofSeconds(5));

    assertThat(ran).containsExactly("second");
    assertThat(scheduler.size()).isZero();
    assertThat(clock.nanoTime()).isEqualTo(5_000_000_000L);
  }
}
