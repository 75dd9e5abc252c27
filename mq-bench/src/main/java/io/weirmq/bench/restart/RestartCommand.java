package io.weirmq.bench.restart;

import io.weirmq.bench.host.BenchFolder;
import io.weirmq.bench.host.JavaCommand;
import io.weirmq.storage.LogDirectories;
import io.weirmq.storage.LogDirectory;
import io.weirmq.storage.LogDirectoryOptions;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.io.NioLogFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code mq bench restart}: what opening a log costs after its process was killed.
 *
 * <p>Another process writes sealed segments, flushes them, writes an unflushed tail, and is killed
 * with SIGKILL. With {@code --active-mib} nothing is sealed: all is flushed inside of one segment.
 * Then the folder is opened here. Bytes read are those of the process's system calls ({@code rchar}
 * of {@code /proc/self/io}), whether they came from the disk or from its cache.
 */
@Command(
    name = "restart",
    mixinStandardHelpOptions = true,
    description = {
      "Kill a process that writes a log, and measure the time and the bytes that opening it takes.",
      "The sizes given are measured in turns. MQ_BENCH_DIR names the folder to measure in."
    })
public final class RestartCommand implements Callable<Integer> {

  private static final Path OWN_IO = Path.of("/proc/self/io");
  private static final long MIB = 1024 * 1024;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--sealed-mib",
      split = ",",
      defaultValue = "1024,20480",
      description = "Sizes of what is sealed and flushed (default: ${DEFAULT-VALUE}).")
  private List<Integer> sealedMib = List.of();

  @Option(
      names = "--tail-mib",
      defaultValue = "64",
      description = "Size of the unflushed tail (default: ${DEFAULT-VALUE}).")
  private int tailMib;

  @Option(
      names = "--active-mib",
      description =
          "Measure a log that is one active segment instead, flushed up to this size (1 to 1000),"
              + " with and without segment checkpoints.")
  private int activeMib;

  @Option(
      names = {"-n", "--rounds"},
      defaultValue = "3",
      description = "Kills and restarts of each (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!Files.exists(OWN_IO)) {
      throw new IOException(OWN_IO + " is missing; this needs Linux");
    }
    if (activeMib > 0) {
      measureActive();
    } else {
      measureSealed();
    }
    return 0;
  }

  private void measureSealed() throws IOException, InterruptedException {
    print("| sealed MiB | segments | tail MiB | open ms | MiB read | records in the log |");
    print("|---|---|---|---|---|---|");
    Path folder = BenchFolder.create();
    try {
      for (int round = 0; round < rounds; round++) {
        for (int size : sealedMib) {
          Path log = folder.resolve("log-" + size);
          writeAndKill(
              log,
              RestartWriter.SEALED,
              size,
              LogDirectoryOptions.SEGMENT_CHECKPOINT_BYTES_DEFAULT);
          measure(log, "");
        }
      }
    } finally {
      BenchFolder.remove(folder);
    }
  }

  private void measureActive() throws IOException, InterruptedException {
    print(
        "| flushed MiB | segments | tail MiB | open ms | MiB read | records in the log | checkpoints"
            + " | written |");
    print("|---|---|---|---|---|---|---|---|");
    for (int round = 0; round < rounds; round++) {
      for (int bytes :
          List.of(Integer.MAX_VALUE, LogDirectoryOptions.SEGMENT_CHECKPOINT_BYTES_DEFAULT)) {
        Path folder = BenchFolder.create();
        try {
          Path log = folder.resolve("log");
          String written = writeAndKill(log, RestartWriter.ACTIVE, activeMib, bytes);
          String distance =
              bytes == Integer.MAX_VALUE ? "none" : "each %d MiB".formatted(bytes / MIB);
          measure(log, " %s | %s |".formatted(distance, written));
        } finally {
          BenchFolder.remove(folder);
        }
      }
    }
  }

  private void measure(Path folder, String more) throws IOException {
    long readBefore = bytesRead();
    long start = System.nanoTime();
    try (LogDirectory directory =
        LogDirectories.open(
            folder,
            LogDirectoryOptions.of(1, RestartWriter.CLUSTER_ID),
            new NioLogFileSystem(),
            InstantSource.system())) {
      PartitionLog log = directory.log(RestartWriter.PARTITION).orElseThrow();
      long end = log.logEndOffset();
      long nanos = System.nanoTime() - start;
      long read = bytesRead() - readBefore;
      print(
          row(
                  log.sizeBytes() / MIB - tailMib,
                  log.segmentCount(),
                  tailMib,
                  nanos,
                  read,
                  end - log.logStartOffset())
              + more);
    }
  }

  /** A row of either table, without what only one of them has. */
  static String row(
      long flushedMib, int segments, int tailMib, long openNs, long readBytes, long records) {
    return String.format(
        Locale.ROOT,
        "| %d | %d | %d | %.1f | %.1f | %d |",
        flushedMib,
        segments,
        tailMib,
        openNs / (double) TimeUnit.MILLISECONDS.toNanos(1),
        readBytes / (double) MIB,
        records);
  }

  /** Returns what the writing process says of its speed. */
  private String writeAndKill(Path folder, String kind, int mib, int checkpointBytes)
      throws IOException, InterruptedException {
    List<String> command =
        JavaCommand.of(
            List.of(
                "-Xmx256m", "-XX:+UseSerialGC", "-Dlogback.configurationFile=weirmq-logback.xml"),
            RestartWriter.class.getName(),
            folder.toString(),
            kind,
            String.valueOf(mib),
            String.valueOf(tailMib),
            String.valueOf(checkpointBytes));
    Process writer =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (var output = writer.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.startsWith(RestartWriter.READY)) {
        line = output.readLine(); // what it logs
      }
      if (line == null) {
        throw new IOException(
            "the writing process ended without the line '%s'".formatted(RestartWriter.READY));
      }
      return line.substring(RestartWriter.READY.length()).strip();
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  private static long bytesRead() throws IOException {
    String label = "rchar: ";
    for (String line : Files.readAllLines(OWN_IO)) {
      if (line.startsWith(label)) {
        return Long.parseLong(line.substring(label.length()));
      }
    }
    throw new IOException(OWN_IO + " has no line '" + label + "'");
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }
}
