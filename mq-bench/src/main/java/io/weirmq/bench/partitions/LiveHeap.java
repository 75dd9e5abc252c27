package io.weirmq.bench.partitions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The objects that a JVM still uses, as its {@code jcmd} counts them after a full collection.
 * Immutable.
 *
 * @param bytes of all objects
 * @param largest the lines of the classes that take most
 */
record LiveHeap(long bytes, List<String> largest) {

  private static final int LARGEST_MAX = 25;
  private static final int HEADER_LINES = 3;

  /**
   * Counts the objects of a process of this JDK.
   *
   * @throws IOException where it can't be asked
   */
  static LiveHeap of(long pid) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    String total = lines.get(lines.size() - 1);
    if (!total.startsWith("Total")) {
      throw new IOException("jcmd tells no total: " + total);
    }
    return new LiveHeap(
        Long.parseLong(total.strip().split("\\s+")[2]),
        lines.subList(HEADER_LINES, Math.min(lines.size() - 1, HEADER_LINES + LARGEST_MAX)));
  }
}
