package io.weirmq.client.kafka;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link LocalBroker} in a process of its own, which can be killed. */
final class ChildBroker implements AutoCloseable {

  private static final String READY = "ready at port ";

  private final Process process;
  private final int port;

  private ChildBroker(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** The program of the process: a folder and a port; ends with its standard input. */
  public static void main(String[] args) throws Exception {
    LocalBroker broker = LocalBroker.start(Path.of(args[0]), Integer.parseInt(args[1]));
    System.out.println(READY + broker.port());
    while (System.in.read() >= 0) {
      // until the parent ends or closes the stream
    }
    broker.close();
  }

  /** Starts a broker and waits until it serves. */
  static ChildBroker start(Path folder, int port) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    ChildBroker.class.getName(),
                    folder.toString(),
                    String.valueOf(port)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder seen = new StringBuilder();
    String line;
    while ((line = output.readLine()) != null) {
      if (line.startsWith(READY)) {
        return new ChildBroker(process, Integer.parseInt(line.substring(READY.length())));
      }
      seen.append(line).append('\n');
    }
    process.destroyForcibly();
    throw new IOException("the broker's process has ended before it served:\n" + seen);
  }

  int port() {
    return port;
  }

  /** Kills the process, as the system does that runs out of memory. */
  void kill() {
    process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    kill();
  }
}
