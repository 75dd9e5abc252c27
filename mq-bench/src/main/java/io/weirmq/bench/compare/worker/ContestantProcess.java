package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Main class of every process of a contestant: {@code ContestantProcess WORKER key=value ...}. The
 * main thread listens to the driver, another one works.
 */
public final class ContestantProcess {

  private static final int FAILED = 1;

  private final Worker worker;
  private final CountDownLatch told = new CountDownLatch(1);

  private ContestantProcess(Worker worker) {
    this.worker = worker;
  }

  /** Runs until it is stopped or its input ends. */
  public static void main(String[] arguments) {
    try {
      Map<String, String> values = new HashMap<>();
      for (int i = 1; i < arguments.length; i++) {
        values.putAll(Lines.decode(arguments[i]));
      }
      Worker worker =
          Class.forName(arguments[0])
              .asSubclass(Worker.class)
              .getConstructor(Settings.class)
              .newInstance(Settings.of(values));
      new ContestantProcess(worker).listen();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void listen() throws IOException {
    Thread working = new Thread(this::work, "worker");
    working.setDaemon(true);
    working.start();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      switch (line) {
        case "clock" -> say("clock " + System.nanoTime());
        case "go" -> told.countDown();
        case "stop" -> {
          stop();
          return;
        }
        default -> throw new IOException("unknown line from the driver: '" + line + "'");
      }
    }
    // The driver is gone; nothing waits for us.
    Runtime.getRuntime().halt(FAILED);
  }

  private void work() {
    try {
      say("ready " + Lines.encode(worker.prepare()));
      told.await();
      Outcome outcome =
          worker.run(
              new Worker.Progress() {
                @Override
                public void measuring() {
                  say("measuring");
                }

                @Override
                public void measured() {
                  say("measured");
                }
              });
      say("result " + Lines.encode(outcome.toMap()));
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void stop() {
    try {
      worker.close();
    } catch (Throwable e) {
      fail(e);
    }
    // Libraries leave threads behind that are no daemons.
    System.exit(0);
  }

  private static void say(String line) {
    synchronized (ContestantProcess.class) {
      System.out.println(Lines.PREFIX + line);
      System.out.flush();
    }
  }

  /** Tells the driver of an error and ends the process. */
  static void fail(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text));
    say("failed " + Lines.encode(text.toString()));
    Runtime.getRuntime().halt(FAILED);
  }
}
