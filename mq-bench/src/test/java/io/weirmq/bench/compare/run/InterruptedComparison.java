package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.report.TurnResult;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

/**
 * Main class of a comparison that hangs, and prints its steps: {@code InterruptedComparison
 * FOLDER}.
 */
final class InterruptedComparison {

  private InterruptedComparison() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    ComparisonPlan plan =
        new ComparisonPlan("compare", 1, 20, 30, List.of(), folder, folder, TurnLimits.defaults());
    try (CleanUp cleanUp = new CleanUp()) {
      cleanUp.atShutdown();
      new Comparison(plan, cleanUp, new Steps())
          .run(
              new SmallSuite(),
              List.of(FixedContestant.fake("hangs")),
              new Selection(Set.of(), Set.of()),
              new MachineFacts(
                  Path.of("/"), InstantSource.system(), new BuildFacts("1", "unknown")));
    }
  }

  /** Prints steps. */
  private static final class Steps implements Comparison.Observer {

    @Override
    public void turn(int number, int count, Scenario scenario, Contestant contestant, int round) {}

    @Override
    public void step(String step) {
      System.out.println(step);
      System.out.flush();
    }

    @Override
    public void done(TurnResult result) {
      System.out.println("done");
      System.out.flush();
    }
  }
}
