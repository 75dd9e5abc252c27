package io.weirmq.bench.peers;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.TurnFolders;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/**
 * A contestant by its parts. Immutable.
 *
 * @param id short name
 * @param title for reports
 * @param role why it takes part
 * @param promise what a message has a right to
 * @param waiting how both sides wait
 * @param scenarios where it takes part
 * @param plans makes the processes of a turn
 */
record PeerContestant(
    String id,
    String title,
    Role role,
    String promise,
    String waiting,
    Predicate<Scenario> scenarios,
    Plans plans)
    implements Contestant {

  /** Makes the processes of a turn. */
  @FunctionalInterface
  interface Plans {
    List<ProcessPlan> of(Scenario scenario, TurnFolders folders) throws IOException;
  }

  @Override
  public boolean takesPartIn(Scenario scenario) {
    return scenarios.test(scenario);
  }

  @Override
  public List<ProcessPlan> processes(Scenario scenario, TurnFolders folders) throws IOException {
    return plans.of(scenario, folders);
  }
}
