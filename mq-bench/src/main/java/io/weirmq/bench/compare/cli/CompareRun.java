package io.weirmq.bench.compare.cli;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.Suite;
import io.weirmq.bench.compare.report.Charts;
import io.weirmq.bench.compare.report.MarkdownReport;
import io.weirmq.bench.compare.report.Report;
import io.weirmq.bench.compare.report.ReportJson;
import io.weirmq.bench.compare.run.BuildFacts;
import io.weirmq.bench.compare.run.CleanUp;
import io.weirmq.bench.compare.run.Comparison;
import io.weirmq.bench.compare.run.ComparisonPlan;
import io.weirmq.bench.compare.run.MachineFacts;
import io.weirmq.bench.compare.run.Selection;
import io.weirmq.bench.compare.run.TurnLimits;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A comparison from its start to the files of its report. Stateless. */
final class CompareRun {

  private CompareRun() {}

  /**
   * What is asked for. Immutable.
   *
   * @param command what was typed, for the report
   * @param suite what to run
   * @param contestants all that there are
   * @param only see {@link Selection}
   * @param against see {@link Selection}
   * @param pairs rounds
   * @param warmupMs time of a turn that doesn't count
   * @param measuredMs time of a turn that counts
   * @param pins processors
   * @param dataFolder parent of folders for durable data
   * @param memoryFolder parent of folders in memory
   * @param output where the report goes
   * @param quick whether the figures tell nothing
   */
  record Request(
      String command,
      Suite suite,
      List<Contestant> contestants,
      Set<String> only,
      Set<String> against,
      int pairs,
      long warmupMs,
      long measuredMs,
      List<String> pins,
      Path dataFolder,
      Path memoryFolder,
      Path output,
      boolean quick) {}

  /**
   * Runs it.
   *
   * @return exit code: 0 where every turn has figures, 1 where one failed
   * @throws IllegalArgumentException where something of the request is unknown
   */
  static int run(Request request, PrintWriter out, boolean terminal, InstantSource clock)
      throws IOException, InterruptedException {
    Selection selection = new Selection(request.only(), request.against());
    selection.check(request.suite(), request.contestants());
    // The folder is made first: a run of an hour must not fail at its last step.
    Files.createDirectories(request.output());
    Report report;
    try (CleanUp cleanUp = new CleanUp()) {
      cleanUp.atShutdown();
      ComparisonPlan plan =
          new ComparisonPlan(
              request.command(),
              request.pairs(),
              request.warmupMs(),
              request.measuredMs(),
              request.pins(),
              request.dataFolder(),
              request.memoryFolder(),
              TurnLimits.defaults());
      report =
          new Comparison(plan, cleanUp, new ProgressDisplay(out, terminal, System::nanoTime))
              .run(
                  request.suite(),
                  request.contestants(),
                  selection,
                  new MachineFacts(Path.of("/"), clock, BuildFacts.ofThisBuild()));
    }
    write(report, request, out);
    return report.failures().isEmpty() ? 0 : 1;
  }

  private static void write(Report report, Request request, PrintWriter out) throws IOException {
    Path folder = request.output();
    Files.writeString(folder.resolve("report.json"), ReportJson.write(report));
    Map<String, String> charts = new TreeMap<>();
    Charts.write(report, folder.resolve("charts"))
        .forEach((scenario, name) -> charts.put(scenario, "charts/" + name));
    String page = MarkdownReport.render(report, charts);
    if (request.quick()) {
      page =
          page
              + "\nThis was a quick run to see whether everything works. Its figures tell nothing.\n";
    }
    Files.writeString(folder.resolve("report.md"), page);
    out.println(page);
    out.printf("report: %s, report.json, charts/%n", folder.resolve("report.md"));
    out.flush();
  }
}
