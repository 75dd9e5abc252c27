package io.weirmq.bench.compare.report;

import io.weirmq.bench.compare.Metric;
import io.weirmq.bench.compare.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A report as Markdown. Confined to one thread; made for one report. */
public final class MarkdownReport {

  private static final String NOTHING = "–";

  private final StringBuilder text = new StringBuilder();
  private final Report report;

  private MarkdownReport(Report report) {
    this.report = report;
  }

  /**
   * Writes a report.
   *
   * @param charts path of the chart of a scenario by its id, relative to the page; scenarios
   *     without one are missing
   */
  public static String render(Report report, Map<String, String> charts) {
    MarkdownReport page = new MarkdownReport(report);
    page.head();
    page.machine();
    page.contestants();
    for (Scenario scenario : report.scenarios()) {
      page.scenario(scenario, charts.get(scenario.id()));
    }
    page.failures();
    return page.text.toString();
  }

  private void head() {
    line("# Comparison `%s`".formatted(report.suite()));
    line("");
    line("%s".formatted(report.description()));
    line("");
    line(
        ("%d rounds; in each, every contestant has a turn, one after the other, and each round begins with another one. A turn: warm-up %s s that does not"
                + " count, then %s s that count.")
            .formatted(report.pairs(), seconds(report.warmupMs()), seconds(report.measuredMs())));
    line(
        "Figures are the median of the turns, in parentheses the smallest and the largest. Ratios are formed"
            + " within a round.");
    line("");
  }

  private static String seconds(long ms) {
    return ms % 1000 == 0 ? Long.toString(ms / 1000) : Double.toString(ms / 1000.0);
  }

  private void machine() {
    line("| machine and run | |");
    line("|---|---|");
    report.machine().forEach(fact -> row(List.of(fact.name(), fact.value())));
    line("");
  }

  private void contestants() {
    line("## Contestants");
    line("");
    row(List.of("id", "contestant", "promise", "waiting", "JVM flags"));
    rule(5);
    for (ContestantFacts contestant : report.contestants()) {
      row(
          List.of(
              "`" + contestant.id() + "`",
              contestant.title(),
              contestant.promise(),
              contestant.waiting(),
              contestant.jvmFlags().isEmpty()
                  ? NOTHING
                  : String.join("<br>", contestant.jvmFlags())));
    }
    line("");
  }

  private void scenario(Scenario scenario, @Nullable String chart) {
    line("## %s (`%s`)".formatted(scenario.title(), scenario.id()));
    line("");
    figures(scenario);
    if (chart != null) {
      line("![%s](%s)".formatted(scenario.title(), chart));
      line("");
    }
    ratios(scenario);
  }

  private void figures(Scenario scenario) {
    List<Metric> metrics = scenario.kind().metrics();
    List<String> head = new ArrayList<>(List.of("contestant", "promise", "turns"));
    metrics.forEach(metric -> head.add(metric.label() + ", " + metric.unit()));
    row(head);
    rule(head.size());
    for (ContestantFacts contestant : report.contestantsOf(scenario.id())) {
      int turns = report.measurements(scenario.id(), contestant.id()).size();
      List<String> cells = new ArrayList<>();
      cells.add(contestant.title());
      cells.add(contestant.promise());
      cells.add(turns == 0 ? "failed" : Integer.toString(turns));
      for (Metric metric : metrics) {
        SortedMap<Integer, Double> values = report.figures(scenario.id(), contestant.id(), metric);
        cells.add(values.isEmpty() ? NOTHING : Numbers.show(Spread.of(values.values())));
      }
      row(cells);
    }
    line("");
  }

  private void ratios(Scenario scenario) {
    List<ContestantFacts> all = report.contestantsOf(scenario.id());
    List<List<String>> rows = new ArrayList<>();
    for (ContestantFacts subject : all) {
      for (ContestantFacts other : all) {
        if (subject.role().isSetAgainst(other.role())) {
          for (Metric metric : scenario.kind().metrics()) {
            rows.addAll(ratioRow(scenario, metric, subject, other));
          }
        }
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    List<String> head = new ArrayList<>(List.of("ratio", "figure", "better"));
    for (int round = 1; round <= report.pairs(); round++) {
      head.add("pair " + round);
    }
    head.addAll(List.of("min", "median", "max"));
    row(head);
    rule(head.size());
    rows.forEach(this::row);
    line("");
  }

  private List<List<String>> ratioRow(
      Scenario scenario, Metric metric, ContestantFacts subject, ContestantFacts other) {
    Ratios ratios = Ratios.of(report, scenario.id(), metric, subject.id(), other.id());
    Optional<Spread> spread = ratios.spread();
    if (spread.isEmpty()) {
      return List.of();
    }
    List<String> cells = new ArrayList<>();
    cells.add("%s / %s".formatted(subject.id(), other.id()));
    cells.add(metric.label());
    cells.add(metric.isHigherBetter() ? "above 1" : "below 1");
    for (int round = 1; round <= report.pairs(); round++) {
      Double ratio = ratios.byRound().get(round);
      cells.add(ratio == null ? NOTHING : Numbers.show(ratio));
    }
    cells.add(Numbers.show(spread.get().min()));
    cells.add("**" + Numbers.show(spread.get().median()) + "**");
    cells.add(Numbers.show(spread.get().max()));
    return List.of(cells);
  }

  private void failures() {
    line("## Failures");
    line("");
    if (report.failures().isEmpty()) {
      line("None: in every turn all messages came, once, in order and whole.");
      return;
    }
    for (TurnResult turn : report.failures()) {
      line("- `%s`, `%s`, round %d:".formatted(turn.scenario(), turn.contestant(), turn.round()));
      line("");
      line("  ```");
      String.valueOf(turn.failure())
          .strip()
          .lines()
          .forEach(failure -> line("  %s".formatted(failure)));
      line("  ```");
    }
  }

  private void rule(int columns) {
    line("|%s".formatted(String.join("", Collections.nCopies(columns, "---|"))));
  }

  private void row(List<String> cells) {
    line("| %s |".formatted(String.join(" | ", cells.stream().map(MarkdownReport::cell).toList())));
  }

  private static String cell(String content) {
    return content.replace("|", "\\|").replace("\n", " ");
  }

  private void line(String content) {
    text.append(content).append('\n');
  }
}
