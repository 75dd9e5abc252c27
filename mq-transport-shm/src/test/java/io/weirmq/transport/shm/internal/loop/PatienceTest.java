package io.weirmq.transport.shm.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** By a clock that stands still unless it is moved, and turns of a microsecond each. */
final class PatienceTest {

  private static final int TURN_NS = 1_000;
  private static final int SHORT = 8;
  private static final int LONG = 8 + 50;
  private static final int PROBE = 8 + 200;

  private long nowNs = 1L << 62;
  private int clockReads;

  private final Patience patience =
      Patience.learning(
          () -> {
            clockReads++;
            return nowNs;
          });

  /** Takes turns without work until it is time for a rest, or enough of them have passed. */
  private int look(int turnsMax) {
    for (int turn = 1; turn <= turnsMax; turn++) {
      nowNs += TURN_NS;
      if (patience.isOver(turn)) {
        return turn;
      }
    }
    return turnsMax;
  }

  /** Work comes some time after the last one. Returns how many turns the look had. */
  private int workAfter(int waitedNs) {
    long startNs = nowNs;
    int turnsMax = waitedNs / TURN_NS;
    int turns = look(turnsMax);
    if (turns < turnsMax) {
      patience.rests();
      nowNs = startNs + waitedNs;
      patience.woken();
    } else {
      patience.found(turns);
    }
    return turns;
  }

  private int turnsOfALook() {
    return workAfter(1_000_000);
  }

  @Test
  void looksLongAtFirst() {
    assertThat(turnsOfALook()).isEqualTo(LONG);
  }

  @Test
  void workThatComesWithinAFewTurnsIsWaitedForWithoutALookAtTheClock() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(workAfter(7 * TURN_NS)).isEqualTo(7);
    }

    assertThat(clockReads).isZero();
    assertThat(turnsOfALook()).isEqualTo(LONG);
  }

  @Test
  void learnsThatLookingIsInVain() {
    // Waits of 75 µs, which count as 50: 50 x (1 - (15/16)^n) passes 25 with the eleventh.
    for (int i = 0; i < 11; i++) {
      assertThat(workAfter(75_000)).as("look %s", i).isEqualTo(LONG);
    }

    assertThat(workAfter(75_000)).isEqualTo(SHORT);
  }

  @Test
  void aFewLongRestsAreForgotten() {
    for (int i = 0; i < 10; i++) {
      assertThat(turnsOfALook()).isEqualTo(LONG);
    }
    workAfter(TURN_NS);

    assertThat(turnsOfALook()).isEqualTo(LONG);
  }

  @Test
  void learnsThatLookingPaysAgain() {
    rest(100);

    // 50 µs are expected, and a wait within the short look counts as none: 15/16 of it remain each
    // time, which is below 25 µs after eleven.
    for (int i = 0; i < 11; i++) {
      workAfter(2 * TURN_NS);
    }

    assertThat(turnsOfALook()).isEqualTo(LONG);
  }

  @Test
  void learnsFromRestsThatWereShort() {
    rest(100);

    // Woken after 18 µs, 10 of which are timed: 10 + 40 x (15/16)^n is below 25 with n = 16.
    int rested = 0;
    while (workAfter(18_000) == SHORT) {
      rested++;
    }

    assertThat(rested).isEqualTo(16);
  }

  @Test
  void learnsNothingFromRestsThatEndWithoutWork() {
    for (int i = 0; i < 100; i++) {
      assertThat(look(1_000)).isEqualTo(LONG);
      patience.rests();
      nowNs += 1_000_000;
      patience.disturbed();
      patience.woken();
    }
  }

  @Test
  void looksForAPeerThatAnswersNowAndThen() {
    int looks = 3 * Patience.RESTS_PER_PROBE + 3;
    int rests = 0;
    int probes = 0;
    for (int i = 0; i < looks; i++) {
      int turns = turnsOfALook();
      if (turns == PROBE) {
        probes++;
      } else if (turns == SHORT) {
        rests++;
      }
    }

    assertThat(probes).isEqualTo(3);
    assertThat(rests).as("all but eleven at first and the probes").isEqualTo(looks - 11 - 3);
  }

  /** Other threads have the core: each turn takes a slice of theirs. */
  @Test
  void aLookEndsByTheClockWhereATurnTakesLong() {
    int turnNs = 3_000_000;
    for (int look = 0; look < 3 * Patience.RESTS_PER_PROBE; look++) {
      int turns = 0;
      do {
        nowNs += turns < SHORT ? TURN_NS : turnNs;
        turns++;
      } while (!patience.isOver(turns));
      assertThat(turns).as("turns of look %s", look).isLessThanOrEqualTo(SHORT + 1);
      patience.rests();
      nowNs += 20_000;
      patience.woken();
    }
  }

  @Test
  void theFixedOneStaysAsItIs() {
    Patience fixed = Patience.fixed();
    for (int i = 0; i < 100; i++) {
      fixed.rests();
      fixed.woken();
      fixed.found(150);
    }

    assertThat(fixed.isOver(Patience.FIXED_TURNS - 1)).isFalse();
    assertThat(fixed.isOver(Patience.FIXED_TURNS)).isTrue();
  }

  /** So often that the longest wait is expected. */
  private void rest(int times) {
    for (int i = 0; i < times; i++) {
      turnsOfALook();
    }
  }
}
