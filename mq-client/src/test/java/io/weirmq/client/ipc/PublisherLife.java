package io.weirmq.client.ipc;

import io.weirmq.transport.Endpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher in a process of its own, which publishes {@code <life>:0}, {@code <life>:1} and so on
 * until it is killed, and tells how many the broker has acknowledged.
 */
final class PublisherLife {

  private static final String ACKNOWLEDGED = "acknowledged ";

  /** Ends each line, so that one that was cut by the kill is seen to be. */
  private static final String END = ";";

  private static final int UNTIL_KILL_MICROS_MAX = 300_000;
  private static final int BETWEEN_RECORDS_MICROS = 100;

  private final Process process;
  private final Thread reader;
  private int acknowledged;
  private boolean ended;

  private PublisherLife(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "publisher-output");
  }

  /** Starts a publisher for partition t-0 and waits until its first record is acknowledged. */
  static PublisherLife start(Endpoint broker, int number, Duration patience) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                PublisherLife.class.getName(),
                broker.toString(),
                String.valueOf(number)));
    PublisherLife life =
        new PublisherLife(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    life.reader.start();
    life.awaitMoreThan(0, patience);
    return life;
  }

  private void read() {
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(ACKNOWLEDGED) && line.endsWith(END)) {
          told(
              Integer.parseInt(
                  line.substring(ACKNOWLEDGED.length(), line.length() - END.length())));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("the output of a publisher can't be read", e);
    } finally {
      end();
    }
  }

  private synchronized void told(int count) {
    acknowledged = count;
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** The number of records that are acknowledged, as far as it was told. */
  synchronized int acknowledged() {
    return acknowledged;
  }

  /** Waits until more records than this are acknowledged. */
  synchronized void awaitMoreThan(int count, Duration patience) throws Exception {
    long endNs = System.nanoTime() + patience.toNanos();
    while (acknowledged <= count) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
      if (ended || leftMs <= 0) {
        throw new TimeoutException(
            "%d records are acknowledged; expected more than %d (publisher %s)"
                .formatted(acknowledged, count, ended ? "has ended" : "runs"));
      }
      wait(leftMs);
    }
  }

  /**
   * Kills the process at some moment.
   *
   * @return how many records were acknowledged, at least
   */
  int killSoon(Random random) throws InterruptedException {
    passTime(random);
    // The handle's, as that of the process closes the output before it is read.
    process.toHandle().destroyForcibly();
    reader.join();
    return acknowledged();
  }

  /** The moment is what is random here; nothing depends on what happens until then. */
  static void passTime(Random random) {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(UNTIL_KILL_MICROS_MAX)));
  }

  /** Runs in the process. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    AppendListener listener =
        (firstToken, recordCount, baseOffset) ->
            out.println(ACKNOWLEDGED + (firstToken + recordCount) + END);
    IpcClient client = IpcClient.open(IpcClientOptions.of(Endpoint.parse(arguments[0])));
    IpcPublisher publisher =
        client.publisher("t", 0, PublisherOptions.defaults().withListener(listener));
    for (int i = 0; ; i++) {
      byte[] value = (arguments[1] + ":" + i).getBytes(StandardCharsets.UTF_8);
      while (publisher.offer(value, 0, value.length) < 0) {
        if (publisher.failure() != null) {
          throw publisher.failure();
        }
        Thread.onSpinWait();
      }
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(BETWEEN_RECORDS_MICROS));
    }
  }
}
