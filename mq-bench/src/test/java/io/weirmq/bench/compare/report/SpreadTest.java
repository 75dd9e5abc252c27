package io.weirmq.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void theMedianOfAnOddNumberIsTheMiddleValue() {
    assertThat(Spread.of(List.of(9.0, 1.0, 4.0))).isEqualTo(new Spread(1, 4, 9, 3));
  }

  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
    assertThat(Spread.of(List.of(8.0, 1.0, 2.0, 4.0))).isEqualTo(new Spread(1, 3, 8, 4));
  }

  @Test
  void oneValueIsItsOwnSpread() {
    assertThat(Spread.of(List.of(7.5))).isEqualTo(new Spread(7.5, 7.5, 7.5, 1));
  }

  @Test
  void noValuesAreRefused() {
    assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
