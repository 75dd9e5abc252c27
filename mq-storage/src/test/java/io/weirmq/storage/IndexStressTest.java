package io.weirmq.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches against indexes that are closed, removed and replaced, in a JVM of their own. */
class IndexStressTest {

  /** Rolls of the run; {@code -Dweirmq.stress.rolls=20000} is more than a minute. */
  private static final int ROLLS = Integer.getInteger("weirmq.stress.rolls", 150);

  private static final long SEED = Long.getLong("weirmq.stress.seed", 1);

  @TempDir Path temporary;

  @Test
  @DisplayName("IX-08 searching while segments are closed, removed and repaired crashes nothing")
  void ix08_searchAgainstClosing() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                IndexStress.class.getName(),
                temporary.resolve("data").toString(),
                Integer.toString(ROLLS),
                Long.toString(SEED))
            .directory(temporary.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor())
        .as("exit code; seed %d (-Dweirmq.stress.seed); it printed %s", SEED, output)
        .isZero();
    assertThat(output).containsPattern("searches [1-9]");
    try (Stream<Path> list = Files.list(temporary)) {
      assertThat(list.map(file -> file.getFileName().toString()))
          .as("crash files of the JVM")
          .containsExactly("data");
    }
  }
}
