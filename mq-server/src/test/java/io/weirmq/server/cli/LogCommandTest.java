package io.weirmq.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code mq log} says to folders and files that it can't work on. */
class LogCommandTest {

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @Test
  void verifyRefusesAFolderWithoutSegments_alsoWhereOtherFilesEndInLog() throws IOException {
    Files.writeString(folder.resolve("broker.log"), "no segment");

    assertThat(run("log", "verify", folder.toString())).isEqualTo(1);

    assertThat(err.toString())
        .startsWith("mq verify: " + folder + " holds no segments; expected a partition's folder");
  }

  @Test
  void verifyFindsNothingWrongWithAnEmptyDataFolder() throws IOException {
    Files.writeString(folder.resolve("meta.properties"), "version=1\n");

    assertThat(run("log", "verify", folder.toString())).isZero();

    assertThat(err.toString()).isEmpty();
  }

  @Test
  void dumpNamesAFileThatIsNotThere() {
    Path missing = folder.resolve("00000000000000000000.log");

    assertThat(run("log", "dump", missing.toString())).isEqualTo(1);

    assertThat(err.toString())
        .isEqualToIgnoringNewLines("mq dump: " + missing + ": no such file or folder");
  }

  @Test
  void repairRefusesAPartitionsFolder_asTheLockIsOfItsDataFolder() throws IOException {
    Path partition = Files.createDirectory(folder.resolve("orders-0"));

    assertThat(run("log", "repair", partition.toString())).isEqualTo(1);

    assertThat(err.toString()).contains(partition + " is no data folder", "meta.properties");
    try (Stream<Path> files = Files.list(partition)) {
      assertThat(files).as("no lock is left").isEmpty();
    }
  }
}
