package io.weirmq.bench.partitions;

import io.weirmq.bench.host.ProcessUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a process holds, as {@code /proc} of Linux tells it. Immutable.
 *
 * @param openFiles open files, sockets and the like
 * @param mappings mapped regions
 * @param threads threads
 * @param residentBytes resident memory
 */
record Footprint(long openFiles, long mappings, long threads, long residentBytes) {

  private static final double MEBIBYTE = 1024 * 1024;

  /**
   * Reads what a process holds.
   *
   * @throws IOException where the process is gone or the system has no {@code /proc}
   */
  static Footprint of(long pid) throws IOException {
    Path folder = Path.of("/proc", Long.toString(pid));
    return new Footprint(
        entries(folder.resolve("fd")),
        Files.readAllLines(folder.resolve("maps")).size(),
        entries(folder.resolve("task")),
        ProcessUsage.of(pid).residentBytes());
  }

  private static long entries(Path folder) throws IOException {
    try (Stream<Path> list = Files.list(folder)) {
      return list.count();
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d open files, %d mappings, %d threads, RSS %.0f MiB",
        openFiles,
        mappings,
        threads,
        residentBytes / MEBIBYTE);
  }
}
