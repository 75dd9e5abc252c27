package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A publisher in a process of its own. It publishes {@code child:0} to {@code child:9}, claims
 * {@code child:10} and writes the first half of it; when it is told to, it writes the rest,
 * commits, and publishes up to {@code child:19}.
 */
final class PausablePublisher implements AutoCloseable {

  static final int RECORDS = 20;

  private static final int CLAIMED = 10;
  private static final String CLAIM_IS_OPEN = "claim is open";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final BufferedReader output;

  private PausablePublisher(Process process) {
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts it for partition t-0, and waits until its claim is open. */
  static PausablePublisher start(Endpoint broker) throws IOException {
    PausablePublisher started =
        new PausablePublisher(
            new ProcessBuilder(
                    List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PausablePublisher.class.getName(),
                        broker.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    String line = started.nextLine();
    if (!line.equals(CLAIM_IS_OPEN)) {
      started.close();
      throw new IOException("the publisher says: " + line);
    }
    return started;
  }

  long pid() {
    return process.pid();
  }

  /** Tells it to commit; may be said while it is stopped. */
  void tellToCommit() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Waits for what it has to say in the end: {@code all acknowledged}, or why not. */
  String awaitEnd() throws IOException {
    return nextLine();
  }

  /** What the logger of the process writes there, too, is left aside. */
  private String nextLine() throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("> ")) {
        return line.substring(2);
      }
    }
    throw new IOException("the publisher ended without a word");
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** Runs in the process. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    try (IpcClient client = IpcClient.open(IpcClientOptions.of(Endpoint.parse(arguments[0])));
        IpcPublisher publisher = client.publisher("t", 0, PublisherOptions.defaults())) {
      publish(publisher, 0, CLAIMED);
      byte[] value = value(CLAIMED);
      RecordClaim claim = new RecordClaim();
      if (publisher.tryClaim(-1, value.length, claim) < 0) {
        throw new IllegalStateException("no room for one record");
      }
      ByteBuffer room = claim.buffer();
      room.put(claim.valuePosition(), value, 0, value.length / 2);
      out.println("> " + CLAIM_IS_OPEN);
      int told = System.in.read();
      int half = value.length / 2;
      room.put(claim.valuePosition() + half, value, half, value.length - half);
      claim.commit();
      publish(publisher, CLAIMED + 1, RECORDS);
      out.println("> all acknowledged, told " + told);
    } catch (IOException | IllegalStateException e) {
      out.println("> " + e);
    }
  }

  private static void publish(IpcPublisher publisher, int from, int to) throws Exception {
    long token = -1;
    for (int i = from; i < to; i++) {
      byte[] value = value(i);
      do {
        token = publisher.offer(value, 0, value.length);
        IpcException failure = publisher.failure();
        if (failure != null) {
          throw failure;
        }
      } while (token < 0);
    }
    if (!publisher.awaitAppended(token, PATIENCE)) {
      throw new IllegalStateException("not acknowledged within " + PATIENCE);
    }
  }

  private static byte[] value(int number) {
    return ("child:" + number).getBytes(StandardCharsets.UTF_8);
  }
}
