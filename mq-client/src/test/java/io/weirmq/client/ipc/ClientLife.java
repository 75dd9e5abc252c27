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
 * A client of partition t-0 in a process of its own, until it is killed. A publisher publishes
 * {@code <life>:0}, {@code <life>:1} and so on, and tells how many the broker has acknowledged; a
 * subscriber reads the log from its beginning, sleeps at its end, and tells how many records it has
 * taken. It ends with an error where one is missing.
 */
final class ClientLife {

  private static final String DONE = "done ";
  private static final String SUBSCRIBER = "subscriber";

  /** Ends each line, so that one that was cut by the kill is seen to be. */
  private static final String END = ";";

  private static final int UNTIL_KILL_MICROS_MAX = 300_000;
  private static final int BETWEEN_RECORDS_MICROS = 100;

  private final Process process;
  private final Thread reader;
  private int done;
  private boolean ended;

  private ClientLife(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "client-output");
  }

  /** Starts a publisher and waits until its first record is acknowledged. */
  static ClientLife publisher(Endpoint broker, int number, Duration patience) throws Exception {
    return start(broker, String.valueOf(number), patience);
  }

  /** Starts a subscriber and waits until it has taken a record. */
  static ClientLife subscriber(Endpoint broker, Duration patience) throws Exception {
    return start(broker, SUBSCRIBER, patience);
  }

  private static ClientLife start(Endpoint broker, String role, Duration patience)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                ClientLife.class.getName(),
                broker.toString(),
                role));
    ClientLife life =
        new ClientLife(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
    life.reader.start();
    life.awaitMoreThan(0, patience);
    return life;
  }

  private void read() {
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(DONE) && line.endsWith(END)) {
          told(Integer.parseInt(line.substring(DONE.length(), line.length() - END.length())));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("the output of a client can't be read", e);
    } finally {
      end();
    }
  }

  private synchronized void told(int count) {
    done = count;
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** The number of records that are acknowledged or taken, as far as it was told. */
  synchronized int done() {
    return done;
  }

  /** Waits until it is more. */
  synchronized void awaitMoreThan(int count, Duration patience) throws Exception {
    long endNs = System.nanoTime() + patience.toNanos();
    while (done <= count) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
      if (ended || leftMs <= 0) {
        throw new TimeoutException(
            "%d records are done; expected more than %d (client %s)"
                .formatted(done, count, ended ? "has ended" : "runs"));
      }
      wait(leftMs);
    }
  }

  /**
   * Kills the process at some moment.
   *
   * @return how many records were done, at least
   */
  int killSoon(Random random) throws InterruptedException {
    passTime(random);
    return kill();
  }

  /** Kills the process now; see {@link #killSoon}. */
  int kill() throws InterruptedException {
    // The handle's, as that of the process closes the output before it is read.
    process.toHandle().destroyForcibly();
    reader.join();
    return done();
  }

  /** The moment is what is random here; nothing depends on what happens until then. */
  static void passTime(Random random) {
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(UNTIL_KILL_MICROS_MAX)));
  }

  /** Runs in the process. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    IpcClient client = IpcClient.open(IpcClientOptions.of(Endpoint.parse(arguments[0])));
    if (arguments[1].equals(SUBSCRIBER)) {
      subscribe(client, out);
    } else {
      publish(client, arguments[1], out);
    }
  }

  private static void publish(IpcClient client, String life, PrintStream out) throws Exception {
    AppendListener listener =
        (firstToken, recordCount, baseOffset) ->
            out.println(DONE + (firstToken + recordCount) + END);
    IpcPublisher publisher =
        client.publisher("t", 0, PublisherOptions.defaults().withListener(listener));
    for (int i = 0; ; i++) {
      byte[] value = (life + ":" + i).getBytes(StandardCharsets.UTF_8);
      while (publisher.offer(value, 0, value.length) < 0) {
        if (publisher.failure() != null) {
          throw publisher.failure();
        }
        Thread.onSpinWait();
      }
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(BETWEEN_RECORDS_MICROS));
    }
  }

  private static void subscribe(IpcClient client, PrintStream out) throws Exception {
    SubscriberOptions sleepy =
        SubscriberOptions.defaults().withWaiting(Duration.ZERO, Duration.ZERO);
    IpcSubscriber subscriber = client.subscriber("t", 0, StartPosition.offset(0), sleepy);
    long[] next = new long[1];
    while (true) {
      int count =
          subscriber.poll(
              record -> {
                if (record.offset() != next[0]) {
                  throw new IllegalStateException(
                      "offset is %d, expected %d".formatted(record.offset(), next[0]));
                }
                next[0]++;
              },
              Integer.MAX_VALUE,
              Duration.ofHours(1));
      if (!subscriber.isDirect()) {
        throw new IllegalStateException("it fetches");
      }
      if (count > 0) {
        out.println(DONE + next[0] + END);
      }
    }
  }
}
