package io.weirmq.bench.compare.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weirmq.bench.host.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CleanUpTest {

  @TempDir private Path folder;

  /**
   * What Ctrl-C does, by SIGTERM: both run the shutdown hooks, but SIGINT is ignored in processes
   * of a shell's background jobs.
   */
  @Test
  void whoIsInterruptedEndsItsProcessesAndRemovesItsFolders() throws Exception {
    Process driver =
        new ProcessBuilder(
                JavaCommand.of(
                    List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                    InterruptedComparison.class.getName(),
                    folder.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output = driver.inputReader(StandardCharsets.UTF_8)) {
      String line = output.readLine();
      while (line != null && !line.equals("is measured")) {
        line = output.readLine();
      }
      assertThat(line).isNotNull();
      List<ProcessHandle> processes = driver.descendants().toList();
      assertThat(processes).hasSize(1);
      // One for data, one in memory.
      assertThat(names(folder)).hasSize(2);

      driver.destroy();

      // The hook waits for the end of each, so that nothing is left when the driver is gone.
      assertThat(driver.waitFor()).isNotZero();
      assertThat(processes).noneMatch(ProcessHandle::isAlive);
      assertThat(folder).isEmptyDirectory();
    } finally {
      driver.destroyForcibly();
    }
  }

  @Test
  void whatComesBehindTheEndIsEndedToo() throws Exception {
    CleanUp cleanUp = new CleanUp();
    cleanUp.folder(folder);
    cleanUp.close();
    Process late =
        new ProcessBuilder(JavaCommand.of(List.of("-Xmx32m"), FakeInput.class.getName())).start();

    assertThatThrownBy(() -> cleanUp.add(late))
        .isInstanceOf(IOException.class)
        .hasMessage("the comparison has been ended");
    assertThat(late.waitFor()).isNotZero();
    assertThatThrownBy(() -> cleanUp.folder(folder)).isInstanceOf(IOException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFolderIsRemovedWithWhatIsInIt() throws Exception {
    try (CleanUp cleanUp = new CleanUp()) {
      Path made = cleanUp.folder(folder);
      Files.writeString(Files.createDirectories(made.resolve("a/b")).resolve("file"), "x");
      cleanUp.remove(made);
      assertThat(folder).isEmptyDirectory();

      Path another = cleanUp.folder(folder);
      Files.writeString(another.resolve("file"), "x");
    }
    assertThat(folder).isEmptyDirectory();
  }

  private static List<Path> names(Path folder) throws IOException {
    try (var list = Files.list(folder)) {
      return list.toList();
    }
  }

  /** Main class of a process that waits for input that never comes. */
  static final class FakeInput {

    private FakeInput() {}

    public static void main(String[] arguments) throws IOException {
      System.exit(System.in.read() < 0 ? 0 : 1);
    }
  }
}
