package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What of a suite is to run. Immutable.
 *
 * @param only ids of scenarios or contestants; where any scenario is named only those run, and
 *     where any contestant is named only those take part; empty for all
 * @param against ids of the contestants that subjects are set against; empty for all
 */
public record Selection(Set<String> only, Set<String> against) {

  public Selection {
    only = Set.copyOf(only);
    against = Set.copyOf(against);
  }

  /**
   * Checks that all names are known.
   *
   * @throws IllegalArgumentException where one isn't; the message lists those that are
   */
  public void check(Suite suite, List<Contestant> contestants) {
    Set<String> scenarioIds = scenarioIds(suite);
    Set<String> contestantIds = contestantIds(contestants);
    for (String id : only) {
      if (!scenarioIds.contains(id) && !contestantIds.contains(id)) {
        throw new IllegalArgumentException(
            "'%s' is neither a scenario %s nor a contestant %s"
                .formatted(id, scenarioIds, contestantIds));
      }
    }
    for (String id : against) {
      if (!contestantIds.contains(id)) {
        throw new IllegalArgumentException(
            "'%s' is no contestant; there are %s".formatted(id, contestantIds));
      }
    }
  }

  /** The scenarios that run, with at least one contestant each. */
  public List<Scenario> scenarios(Suite suite, List<Contestant> contestants) {
    Set<String> named = new HashSet<>(only);
    named.retainAll(scenarioIds(suite));
    List<Scenario> selected = new ArrayList<>();
    for (Scenario scenario : suite.scenarios()) {
      if ((named.isEmpty() || named.contains(scenario.id()))
          && !contestants(scenario, contestants).isEmpty()) {
        selected.add(scenario);
      }
    }
    return selected;
  }

  /** The contestants that take part in a scenario. */
  public List<Contestant> contestants(Scenario scenario, List<Contestant> contestants) {
    Set<String> named = new HashSet<>(only);
    named.retainAll(contestantIds(contestants));
    return contestants.stream()
        .filter(contestant -> contestant.takesPartIn(scenario))
        .filter(contestant -> named.isEmpty() || named.contains(contestant.id()))
        .filter(
            contestant ->
                against.isEmpty()
                    || contestant.role() == Role.SUBJECT
                    || against.contains(contestant.id()))
        .toList();
  }

  private static Set<String> scenarioIds(Suite suite) {
    Set<String> ids = new TreeSet<>();
    suite.scenarios().forEach(scenario -> ids.add(scenario.id()));
    return ids;
  }

  private static Set<String> contestantIds(List<Contestant> contestants) {
    Set<String> ids = new TreeSet<>();
    contestants.forEach(contestant -> ids.add(contestant.id()));
    return ids;
  }
}
