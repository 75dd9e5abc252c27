package io.weirmq.bench.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process has used so far, as {@code /proc} of Linux tells it. Immutable.
 *
 * @param cpuSeconds user and system time of all its threads
 * @param residentBytes resident memory now
 */
public record ProcessUsage(double cpuSeconds, long residentBytes) {

  /** Clock ticks per second in {@code /proc/<pid>/stat}; a constant of the kernel's interface. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int USER_TICKS_FIELD = 14;
  private static final int SYSTEM_TICKS_FIELD = 15;

  /**
   * Reads the usage of a process.
   *
   * @throws IOException where the process is gone or the system has no {@code /proc}
   */
  public static ProcessUsage of(long pid) throws IOException {
    Path folder = Path.of("/proc", Long.toString(pid));
    String stat = Files.readString(folder.resolve("stat"), StandardCharsets.US_ASCII);
    // The second field is a name in parentheses that may hold spaces; field 3 is behind them.
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    double ticks =
        Double.parseDouble(fields.get(USER_TICKS_FIELD - 3))
            + Double.parseDouble(fields.get(SYSTEM_TICKS_FIELD - 3));
    return new ProcessUsage(ticks / TICKS_PER_SECOND, residentBytes(folder));
  }

  private static long residentBytes(Path folder) throws IOException {
    for (String line : Files.readAllLines(folder.resolve("status"), StandardCharsets.UTF_8)) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    throw new IOException(folder + " tells no resident memory");
  }
}
