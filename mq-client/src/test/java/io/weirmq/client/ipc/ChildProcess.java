package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A broker or a publisher in a process of its own, which a test kills. */
final class ChildProcess implements AutoCloseable {

  private static final String READY = "ready ";

  private final Process process;
  private final String told;

  private ChildProcess(Process process, String told) {
    this.process = process;
    this.told = told;
  }

  /**
   * Starts a broker.
   *
   * @param folder for its logs, and for what it shares with local clients and leaves when killed
   */
  static ChildProcess broker(Path folder, Path localFolder, int port) throws IOException {
    Path run = Files.createDirectories(folder.resolve("run"));
    Path logs = folder.resolve("logs");
    return start(run, "broker", logs.toString(), localFolder.toString(), String.valueOf(port));
  }

  /** A publisher that has published ten records, and claimed one that it does not commit. */
  static ChildProcess publisherThatClaims(Endpoint broker) throws IOException {
    return start(Path.of("/"), "publisher", broker.toString());
  }

  private static ChildProcess start(Path runtimeFolder, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ChildProcess.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("XDG_RUNTIME_DIR", runtimeFolder.toString());
    Process process = builder.start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(READY)) {
        return new ChildProcess(process, line.substring(READY.length()));
      }
    }
    throw new IOException("the process has ended before it was ready");
  }

  /** What the process has told when it was ready. */
  int told() {
    return Integer.parseInt(told);
  }

  /** The number of the process. */
  long pid() {
    return process.pid();
  }

  /** Kills the process, as {@code kill -9} does. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** Runs in the process. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("broker")) {
      LocalBroker broker =
          LocalBroker.start(
              Path.of(arguments[1]),
              Path.of(arguments[2]),
              Integer.parseInt(arguments[3]),
              Map.of());
      System.out.println(READY + broker.port());
      broker.broker().awaitTermination();
      return;
    }
    IpcClient client = IpcClient.open(IpcClientOptions.of(Endpoint.parse(arguments[1])));
    IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults());
    byte[] value = {1, 2, 3};
    for (int i = 0; i < 10; i++) {
      publisher.offer(value, 0, value.length);
    }
    publisher.awaitAppended(9, Duration.ofSeconds(30));
    RecordClaim claim = new RecordClaim();
    long token = publisher.tryClaim(-1, 1000, claim);
    System.out.println(READY + token);
    Thread.currentThread().join(); // until it is killed
  }
}
