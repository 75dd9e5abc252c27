package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.transport.shm.WaitStrategy;
import java.io.IOException;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;

final class LoopWaitsTest {

  private static LoopWaits open(WaitStrategy strategy) throws IOException {
    return new LoopWaits(Selector.open(), () -> 0, strategy, new TaskGuard());
  }

  /** A yield may take milliseconds, and {@code Patience} trusts the first turns to be quick. */
  @Test
  void theFirstTurnsOfEachPollSpin() throws Exception {
    LoopWaits waits = open(WaitStrategy.ADAPTIVE);
    for (int poll = 0; poll < 3; poll++) {
      waits.beginPoll();
      for (int turn = 1; turn <= 40; turn++) {
        waits.countTurn(0);
        assertThat(waits.spins()).as("turn %s of poll %s", turn, poll).isTrue();
      }
      waits.countTurn(0);
      assertThat(waits.spins()).as("later turns of poll %s", poll).isFalse();
    }
    waits.countTurn(1);
    assertThat(waits.spins()).as("after work").isTrue();
    waits.close();
  }

  @Test
  void otherStrategiesDoAsTheySay() throws Exception {
    LoopWaits spinning = open(WaitStrategy.BUSY_SPIN);
    LoopWaits yielding = open(WaitStrategy.YIELDING);
    for (int turn = 1; turn <= 100; turn++) {
      spinning.countTurn(0);
      yielding.countTurn(0);
      assertThat(spinning.spins()).isTrue();
      assertThat(yielding.spins()).isFalse();
    }
    spinning.close();
    yielding.close();
  }
}
