package io.weirmq.bench.compare.cli;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.report.TurnResult;
import io.weirmq.bench.compare.run.Comparison;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a comparison is: a bar in the last line of a terminal, and a line for each turn
 * that is over. Confined to one thread.
 */
final class ProgressDisplay implements Comparison.Observer {

  private static final int BAR_CHARS = 24;
  private static final String ERASE_LINE = "\r\u001b[2K";

  private final PrintWriter out;
  private final boolean terminal;
  private final LongSupplier nanoClock;
  private final long startNs;
  private String turn = "";
  private int number;
  private int count = 1;

  ProgressDisplay(PrintWriter out, boolean terminal, LongSupplier nanoClock) {
    this.out = out;
    this.terminal = terminal;
    this.nanoClock = nanoClock;
    this.startNs = nanoClock.getAsLong();
  }

  @Override
  public void turn(
      int newNumber, int newCount, Scenario scenario, Contestant contestant, int round) {
    number = newNumber;
    count = newCount;
    turn = "%s, %s, round %d".formatted(scenario.id(), contestant.id(), round);
    step("");
  }

  @Override
  public void step(String step) {
    if (terminal) {
      int filled = BAR_CHARS * (number - 1) / count;
      out.printf(
          "%s[%s%s] %d/%d %s %s %s",
          ERASE_LINE,
          "#".repeat(filled),
          ".".repeat(BAR_CHARS - filled),
          number,
          count,
          left(),
          turn,
          step);
      out.flush();
    }
  }

  private String left() {
    if (number <= 1) {
      return "";
    }
    long passedNs = nanoClock.getAsLong() - startNs;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(passedNs / (number - 1) * (count - number + 1));
    return "about %d:%02d left,".formatted(seconds / 60, seconds % 60);
  }

  @Override
  public void done(TurnResult result) {
    if (terminal) {
      out.print(ERASE_LINE);
    }
    out.printf("%d/%d %s: %s%n", number, count, turn, summary(result));
    out.flush();
  }

  private static String summary(TurnResult result) {
    if (result.failure() != null) {
      return "FAILED: " + result.failure().lines().findFirst().orElse("");
    }
    StringJoiner figures = new StringJoiner(", ");
    result
        .measured()
        .ifPresent(
            measurement -> {
              for (Metric metric : Metric.values()) {
                Double value = measurement.figures().get(metric);
                if (value != null) {
                  figures.add(
                      String.format(
                          Locale.ROOT, "%s %,.2f %s", metric.label(), value, metric.unit()));
                }
              }
            });
    return figures.toString();
  }
}
