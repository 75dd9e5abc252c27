package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.bench.compare.report.Report.Fact;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineFactsTest {

  @TempDir private Path folder;

  @Test
  void aReportTellsTheCommandAndWhatWasBuilt() {
    MachineFacts machine =
        new MachineFacts(
            folder, InstantSource.fixed(Instant.EPOCH), new BuildFacts("1.2.3", "abc-dirty"));

    List<Fact> facts =
        machine.facts(
            machine.snapshot(),
            machine.snapshot(),
            new ComparisonPlan(
                "mq bench compare --pairs 2",
                2,
                20,
                30,
                List.of(),
                folder,
                folder,
                TurnLimits.defaults()));

    assertThat(facts)
        .contains(
            new Fact("command", "`mq bench compare --pairs 2`"),
            new Fact("WeirMQ", "1.2.3, commit abc-dirty"),
            new Fact("begun, ended", "1970-01-01T00:00:00Z, 1970-01-01T00:00:00Z"));
  }

  @Test
  void aBuildWithoutGitHasAnUnknownCommit() throws Exception {
    assertThat(read("version=1.2.3\ncommit=\n")).isEqualTo(new BuildFacts("1.2.3", "unknown"));
    assertThat(read("version=1.2.3\ncommit=0123abc\n"))
        .isEqualTo(new BuildFacts("1.2.3", "0123abc"));
    assertThat(BuildFacts.read(null)).isEqualTo(new BuildFacts("unknown", "unknown"));
  }

  @Test
  void thisBuildWroteItsVersionDown() throws Exception {
    assertThat(BuildFacts.ofThisBuild().version()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(BuildFacts.ofThisBuild().commit()).matches("unknown|[0-9a-f]{12,40}(-dirty)?");
  }

  private static BuildFacts read(String file) throws Exception {
    return BuildFacts.read(new ByteArrayInputStream(file.getBytes(StandardCharsets.UTF_8)));
  }
}
