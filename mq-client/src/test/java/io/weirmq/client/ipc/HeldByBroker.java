package io.weirmq.client.ipc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a broker's process holds for clients of shared memory, as the kernel tells; Linux only.
 *
 * @param names files in the folder of the listener
 * @param published files in the runtime folder, where local clients look for brokers
 * @param sockets open sockets
 * @param files open files of the folder
 * @param mappings mappings of its files, of those without a name too
 * @param publishedMappings mappings of files in the runtime folder
 */
record HeldByBroker(
    List<String> names,
    List<String> published,
    long sockets,
    long files,
    long mappings,
    long publishedMappings) {

  /** Looks at a process, after a collection: what is unreachable is unmapped by it. */
  static HeldByBroker now(long pid, Path runtimeFolder, Path folder) throws Exception {
    output(
        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
        String.valueOf(pid),
        "GC.run");
    List<String> targets = targets(pid);
    List<String> mappings = Files.readAllLines(Path.of("/proc", String.valueOf(pid), "maps"));
    return new HeldByBroker(
        names(folder),
        names(runtimeFolder),
        targets.stream().filter(target -> target.startsWith("socket:")).count(),
        targets.stream().filter(target -> target.startsWith(folder.toString())).count(),
        mappings.stream().filter(line -> line.contains(folder.toString())).count(),
        mappings.stream().filter(line -> line.contains(runtimeFolder.toString())).count());
  }

  /** Writes the listings that {@link #now} counts to a file in {@code target/kills}. */
  static void capture(String file, long pid, Path runtimeFolder, Path folder) throws Exception {
    Path into = Files.createDirectories(Path.of("target", "kills")).resolve(file);
    Files.writeString(
        into,
        String.join(
            "\n",
            output("ls", "-l", folder.toString()),
            output("ls", "-l", runtimeFolder.toString()),
            output("ls", "-l", "/proc/" + pid + "/fd")));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static List<String> targets(long pid) throws IOException {
    List<String> targets = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("/proc", String.valueOf(pid), "fd"))) {
      for (Path file : files.toList()) {
        if (Files.isSymbolicLink(file)) { // else closed meanwhile
          targets.add(Files.readSymbolicLink(file).toString());
        }
      }
    }
    return targets;
  }

  private static String output(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IOException("%s failed: %s".formatted(String.join(" ", command), output));
    }
    return "$ " + String.join(" ", command) + "\n" + output;
  }
}
