package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.ContestantProvider;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.Pacing;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.Suite;
import java.util.List;

/** Two scenarios and three contestants, found by the service loader of the tests. */
public final class SmallSuite implements Suite {

  static final Scenario PACED =
      new Scenario("paced", "Paced", "x", MeasureKind.LATENCY, 64, 1_000, Pacing.PARK);

  static final Scenario THERE =
      new Scenario("there", "There and back", "x", MeasureKind.ROUND_TRIP, 64, 0, Pacing.NONE);

  /** Made by the service loader. */
  public SmallSuite() {}

  @Override
  public String name() {
    return "small";
  }

  @Override
  public String description() {
    return "For tests.";
  }

  @Override
  public List<Scenario> scenarios() {
    return List.of(PACED, THERE);
  }

  /** A subject, a baseline that takes part in one scenario, and a peer. */
  public static final class Contestants implements ContestantProvider {

    /** Made by the service loader. */
    public Contestants() {}

    @Override
    public List<Contestant> contestants() {
      return List.of(
          FixedContestant.sockets("ours", Role.SUBJECT, scenario -> true),
          FixedContestant.sockets("base", Role.BASELINE, PACED::equals),
          FixedContestant.sockets("theirs", Role.PEER, scenario -> true));
    }
  }
}
