package io.weirmq.protocol.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VersionsTest {

  @ParameterizedTest
  @ValueSource(strings = {"none", "3", "3-5", "0+", "12+"})
  void readsAndWritesTheNotationOfTheSchemas(String text) {
    assertThat(Versions.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "3-", "-3", "3++", "1-2-3"})
  void refusesOtherTexts(String text) {
    assertThatThrownBy(() -> Versions.parse(text))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("\"" + text + "\"");
  }

  @ParameterizedTest
  @CsvSource({
    "0+, 4-18, true",
    "4-18, 4-18, true",
    "12+, 4-18, version >= 12",
    "0-12, 4-18, version <= 12",
    "7-9, 4-18, version >= 7 && version <= 9",
    "7, 4-18, version == 7",
    "none, 4-18, false",
    "0-3, 4-18, false",
    "20+, 4-18, false"
  })
  void asksForTheVersionOnlyWhereItMatters(String range, String context, String condition) {
    assertThat(Versions.parse(range).conditionWithin(Versions.parse(context))).isEqualTo(condition);
  }

  /** The condition, evaluated by brute force, holds exactly in the versions of the range. */
  @Test
  void theConditionHoldsExactlyInTheRange() {
    Versions context = new Versions(2, 9);
    for (int lowest = 0; lowest < 12; lowest++) {
      for (int highest = lowest - 1; highest < 12; highest++) {
        Versions range = new Versions(lowest, highest);
        for (int version = 2; version <= 9; version++) {
          assertThat(holds(range.conditionWithin(context), version))
              .as("%s within %s at %d", range, context, version)
              .isEqualTo(range.contains(version));
        }
      }
    }
  }

  private static boolean holds(String condition, int version) {
    boolean all = true;
    for (String part : condition.split(" && ", -1)) {
      String number = part.replaceAll("[^0-9]", "");
      if (part.contains(">=")) {
        all &= version >= Integer.parseInt(number);
      } else if (part.contains("<=")) {
        all &= version <= Integer.parseInt(number);
      } else if (part.contains("==")) {
        all &= version == Integer.parseInt(number);
      } else {
        all &= part.equals("true");
      }
    }
    return all;
  }

  @Test
  void intersectsAndCovers() {
    Versions some = new Versions(3, 7);

    assertThat(some.intersect(new Versions(5, Versions.OPEN))).isEqualTo(new Versions(5, 7));
    assertThat(some.intersect(new Versions(8, 9))).isEqualTo(Versions.NONE);
    assertThat(some.below(5)).isEqualTo(new Versions(3, 4));
    assertThat(some.covers(new Versions(4, 7))).isTrue();
    assertThat(some.covers(new Versions(4, 8))).isFalse();
    assertThat(some.covers(Versions.NONE)).isTrue();
  }
}
