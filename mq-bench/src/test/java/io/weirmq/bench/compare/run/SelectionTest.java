package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Scenario;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What of {@link SmallSuite} runs: scenario "there" without the baseline, "paced" with all. */
class SelectionTest {

  private final SmallSuite suite = new SmallSuite();
  private final List<Contestant> all = new SmallSuite.Contestants().contestants();

  @Test
  void everythingRunsWhereNothingIsNamed() {
    assertThat(turns(Set.of(), Set.of()))
        .containsExactly("paced ours", "paced base", "paced theirs", "there ours", "there theirs");
  }

  @Test
  void onlyTakesScenariosAndContestants() {
    assertThat(turns(Set.of("there"), Set.of())).containsExactly("there ours", "there theirs");
    assertThat(turns(Set.of("theirs"), Set.of())).containsExactly("paced theirs", "there theirs");
    assertThat(turns(Set.of("paced", "ours", "base"), Set.of()))
        .containsExactly("paced ours", "paced base");
  }

  @Test
  void aScenarioWithoutContestantsDoesNotRun() {
    assertThat(turns(Set.of("base"), Set.of())).containsExactly("paced base");
  }

  @Test
  void againstKeepsOursAndLeavesOutWhoIsNotNamed() {
    assertThat(turns(Set.of(), Set.of("base")))
        .containsExactly("paced ours", "paced base", "there ours");
    assertThat(turns(Set.of("there"), Set.of("theirs")))
        .containsExactly("there ours", "there theirs");
  }

  @Test
  void unknownNamesAreRefusedWithThoseThatThereAre() {
    assertThatThrownBy(() -> new Selection(Set.of("mine"), Set.of()).check(suite, all))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'mine' is neither a scenario [paced, there] nor a contestant [base, ours, theirs]");
    assertThatThrownBy(() -> new Selection(Set.of(), Set.of("paced")).check(suite, all))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'paced' is no contestant; there are [base, ours, theirs]");
  }

  private List<String> turns(Set<String> only, Set<String> against) {
    Selection selection = new Selection(only, against);
    selection.check(suite, all);
    return selection.scenarios(suite, all).stream()
        .flatMap(scenario -> turns(selection, scenario).stream())
        .toList();
  }

  private List<String> turns(Selection selection, Scenario scenario) {
    return selection.contestants(scenario, all).stream()
        .map(contestant -> scenario.id() + " " + contestant.id())
        .toList();
  }
}
