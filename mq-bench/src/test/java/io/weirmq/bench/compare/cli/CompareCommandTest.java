package io.weirmq.bench.compare.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.report.ContestantFacts;
import io.weirmq.bench.compare.report.Report;
import io.weirmq.bench.compare.report.ReportJson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The options of a comparison, over a suite of the tests. */
class CompareCommandTest {

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void whatIsNamedRunsAsOftenAndAsLongAsIsSaid() throws Exception {
    Path output = folder.resolve("deep/report");
    Path data = Files.createDirectory(folder.resolve("data"));

    int exitCode =
        run(
            "--suite small --only paced --against theirs --pairs 2 --quick --data %s --output %s"
                .formatted(data, output));

    assertThat(exitCode).as("%s%s", out, err).isZero();
    Report report = ReportJson.read(Files.readString(output.resolve("report.json")));
    assertThat(report.suite()).isEqualTo("small");
    assertThat(report.pairs()).isEqualTo(2);
    assertThat(report.warmupMs()).isEqualTo(200);
    assertThat(report.measuredMs()).isEqualTo(300);
    assertThat(report.contestants())
        .extracting(ContestantFacts::id)
        .containsExactly("ours", "theirs");
    assertThat(report.turns())
        .extracting(turn -> turn.scenario() + " " + turn.contestant() + " " + turn.round())
        .containsExactly("paced ours 1", "paced theirs 1", "paced theirs 2", "paced ours 2");
    assertThat(report.machine())
        .contains(
            new Report.Fact(
                "command",
                "`compare --suite small --only paced --against theirs --pairs 2 --quick --data %s"
                        .formatted(data)
                    + " --output %s`".formatted(output)));
    assertThat(Files.readString(output.resolve("report.md")))
        .contains("This was a quick run to see whether everything works.");
    assertThat(output.resolve("charts/paced.svg")).isNotEmptyFile();
    assertThat(data).isEmptyDirectory();
  }

  @Test
  void aTurnTakesAsLongAsIsSaid() throws Exception {
    int exitCode =
        run("--suite small --only there,ours --warmup-s 0 --seconds 1 -n 1 -o " + folder);

    assertThat(exitCode).as("%s%s", out, err).isZero();
    Report report = ReportJson.read(Files.readString(folder.resolve("report.json")));
    assertThat(report.warmupMs()).isZero();
    assertThat(report.measuredMs()).isEqualTo(1_000);
    assertThat(Files.readString(folder.resolve("report.md"))).doesNotContain("quick run");
  }

  @Test
  void pinsNeedTaskset() {
    List<String> words = new ArrayList<>(List.of(System.getenv("PATH").split(":")));
    boolean there = words.stream().anyMatch(p -> Files.isExecutable(Path.of(p, "taskset")));

    int exitCode = run("--suite small --only paced,ours --quick --pin 0 -o " + folder);

    assertThat(exitCode).as("%s%s", out, err).isEqualTo(there ? 0 : 2);
    if (there) {
      assertThat(folder.resolve("report.md"))
          .content()
          .contains("| pinned to processors | 0, in the order in which processes start |");
    } else {
      assertThat(err.toString()).contains("--pin needs taskset, which is not there");
    }
  }

  @Test
  void theListRunsNothing() {
    assertThat(run("--suite small --list")).isZero();

    assertThat(out.toString())
        .contains("suite small: For tests.")
        .containsPattern("there +There and back\\R +ours +ours; none\\R +theirs +theirs; none\\R");
  }

  @Test
  void unknownNamesEndTheCommandBeforeAnythingRuns() {
    assertThat(run("--suite large")).isEqualTo(2);
    assertThat(err.toString()).contains("suite 'large' is unknown; there are [small]");

    assertThat(run("--suite small --only mine -o " + folder.resolve("a"))).isEqualTo(2);
    assertThat(err.toString()).contains("'mine' is neither a scenario");

    assertThat(run("--suite small --against paced -o " + folder.resolve("b"))).isEqualTo(2);
    assertThat(err.toString()).contains("'paced' is no contestant");
    assertThat(folder).isEmptyDirectory();
  }

  private int run(String arguments) {
    return new CommandLine(new CompareCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments.split(" "));
  }
}
