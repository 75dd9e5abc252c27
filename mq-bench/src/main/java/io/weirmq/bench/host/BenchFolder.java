package io.weirmq.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Folders to measure in. Stateless. */
public final class BenchFolder {

  /** Names the folder to make them in; by default that for temporary files. */
  static final String PARENT_VARIABLE = "MQ_BENCH_DIR";

  private BenchFolder() {}

  /** Where folders are made; it needn't exist yet. */
  public static Path parent() {
    String parent = System.getenv(PARENT_VARIABLE);
    return Path.of(parent == null ? System.getProperty("java.io.tmpdir") : parent);
  }

  /** Makes a new folder. */
  public static Path create() throws IOException {
    return Files.createTempDirectory(Files.createDirectories(parent()), "weirmq-bench");
  }

  /** Removes a folder and what is in it. */
  public static void remove(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
