package io.weirmq.bench.partitions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A small run of the whole: two topics, a restart, and every partition answers. */
class PartitionsCommandTest {

  @Test
  void aSmallRun() {
    StringWriter output = new StringWriter();
    int exitCode =
        new CommandLine(new PartitionsCommand())
            .setOut(new PrintWriter(output))
            .execute("--partitions", "100", "--segments", "3", "--topic-partitions", "60");

    assertThat(exitCode).as(output.toString()).isZero();
    assertThat(output.toString())
        .contains("for 300 segments")
        .contains("restart to ListOffsets of all partitions")
        .contains("live objects after restart");
  }
}
