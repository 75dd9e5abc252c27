package io.weirmq.bench.partitions;

import io.weirmq.bench.host.BenchFolder;
import io.weirmq.bench.host.Ports;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A broker in a process of its own that may open a limited number of files, and that can be stopped
 * and started again on its data. Closing ends the process and removes the data. Confined to one
 * thread.
 */
final class MeasuredBroker implements AutoCloseable {

  /** How long a stop may take. */
  private static final long STOP_SECONDS = 1_800;

  private final Path home;
  private final int port;
  private final List<String> command;
  private final int openFilesMax;
  private @Nullable Process process;

  private MeasuredBroker(Path home, int port, List<String> command, int openFilesMax) {
    this.home = home;
    this.port = port;
    this.command = command;
    this.openFilesMax = openFilesMax;
  }

  /**
   * Prepares a broker; it doesn't run yet.
   *
   * @param openFilesMax {@code ulimit -n} of the process
   */
  static MeasuredBroker prepare(BrokerKind kind, int openFilesMax) throws IOException {
    Path home = BenchFolder.create();
    int port = Ports.free();
    return new MeasuredBroker(home, port, kind.prepare(home, port), openFilesMax);
  }

  /** Starts the process; it needn't answer yet when this returns. */
  void start() throws IOException {
    List<String> limited = new ArrayList<>(List.of("bash", "-c", "ulimit -n $0 && exec \"$@\""));
    limited.add(Integer.toString(openFilesMax));
    limited.addAll(command);
    process =
        new ProcessBuilder(limited)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
  }

  /** Where it listens, as {@code host:port}. */
  String bootstrap() {
    return "127.0.0.1:" + port;
  }

  /** The process id; {@code exec} keeps that of the shell. */
  long pid() {
    return running().pid();
  }

  /** Whether the process runs. */
  boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** The end of what it printed, for reports of failures. */
  String lastOutput() throws IOException {
    List<String> lines = Files.readAllLines(log());
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  /**
   * Asks the process to stop and waits until it has.
   *
   * @throws IOException where it doesn't, or ends with an error
   */
  void stop() throws IOException {
    Process running = running();
    running.destroy();
    if (!awaitEnd(running, STOP_SECONDS)) {
      running.destroyForcibly();
      throw new IOException("the broker did not stop within %d s".formatted(STOP_SECONDS));
    }
  }

  private Process running() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the broker was not started");
    }
    return running;
  }

  private Path log() {
    return home.resolve("broker.log");
  }

  @Override
  public void close() throws IOException {
    if (process != null) {
      process.destroyForcibly();
      awaitEnd(process, STOP_SECONDS);
    }
    BenchFolder.remove(home);
  }

  /** Waits for a process; false where it still runs after that time. */
  static boolean awaitEnd(Process process, long seconds) throws IOException {
    try {
      return process.waitFor(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a process ended");
    }
  }
}
