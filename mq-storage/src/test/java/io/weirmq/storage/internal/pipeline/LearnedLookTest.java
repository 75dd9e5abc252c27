package io.weirmq.storage.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LearnedLookTest {

  private final LearnedLook look = new LearnedLook();

  private void learn(long waitedNs, int times) {
    for (int i = 0; i < times; i++) {
      look.learn(waitedNs);
    }
  }

  @Test
  void hardlyLooksAtFirst() {
    assertThat(look.lookNs()).isEqualTo(LearnedLook.SHORT_NS);
  }

  @Test
  void looksOnceWorkTendsToComeSoon() {
    // 50 µs are expected at first; 15/16 of it remain each time, below 25 µs after eleven.
    learn(0, 10);
    assertThat(look.lookNs()).isEqualTo(LearnedLook.SHORT_NS);

    learn(0, 1);

    assertThat(look.lookNs()).isEqualTo(LearnedLook.LONG_NS);
  }

  @Test
  void looksNoMoreWhereItTendsToComeLate() {
    learn(0, 1_000);

    // However long, a wait counts as 50 µs: 50 x (1 - (15/16)^n) passes 25 with the eleventh.
    learn(Long.MAX_VALUE, 10);
    assertThat(look.lookNs()).isEqualTo(LearnedLook.LONG_NS);
    learn(Long.MAX_VALUE, 1);

    assertThat(look.lookNs()).isEqualTo(LearnedLook.SHORT_NS);
  }

  @Test
  void looksWhereItComesAboutAsSoonAsAWakeUpWouldTake() {
    learn(24_000, 1_000);
    assertThat(look.lookNs()).isEqualTo(LearnedLook.LONG_NS);

    learn(26_000, 1_000);

    assertThat(look.lookNs()).isEqualTo(LearnedLook.SHORT_NS);
  }
}
