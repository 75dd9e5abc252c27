package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.worker.Lines;
import io.weirmq.bench.host.ProcessUsage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process of a contestant. Its lines for the driver become events of a queue, with the time at
 * which they came; of the others the last are kept. Confined to the driver's thread, but for the
 * thread that reads.
 */
final class ChildProcess implements AutoCloseable {

  private static final int OUTPUT_LINES_MAX = 40;
  private static final int OUTPUT_LINE_CHARS_MAX = 500;

  private final ProcessPlan plan;
  private final Process process;
  private final CleanUp cleanUp;
  private final TurnLimits limits;
  private final Deque<String> lastOutput = new ArrayDeque<>();

  private ChildProcess(ProcessPlan plan, Process process, CleanUp cleanUp, TurnLimits limits) {
    this.plan = plan;
    this.process = process;
    this.cleanUp = cleanUp;
    this.limits = limits;
  }

  /**
   * An event.
   *
   * @param from the process
   * @param word first word of its line; {@code ended} where its output has ended
   * @param rest the other words
   * @param atNs when it came, by {@code System.nanoTime}
   */
  record Event(ChildProcess from, String word, String rest, long atNs) {}

  /**
   * Starts a process.
   *
   * @param runtimeFolder takes the place of the user's folder for sockets and the like
   * @param events where its lines go
   */
  static ChildProcess start(
      ProcessPlan plan,
      List<String> command,
      Path runtimeFolder,
      BlockingQueue<Event> events,
      CleanUp cleanUp,
      TurnLimits limits)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    // What a killed process leaves in the user's runtime folder would stay.
    builder.environment().put("XDG_RUNTIME_DIR", runtimeFolder.toString());
    Process process = builder.start();
    cleanUp.add(process);
    ChildProcess child = new ChildProcess(plan, process, cleanUp, limits);
    Thread reader = new Thread(() -> child.read(events), "output of " + plan.role());
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  private void read(BlockingQueue<Event> events) {
    String reason = "";
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(Lines.PREFIX)) {
          String[] words = line.substring(Lines.PREFIX.length()).split(" ", 2);
          events.add(
              new Event(this, words[0], words.length == 2 ? words[1] : "", System.nanoTime()));
        } else {
          keep(line);
        }
      }
    } catch (IOException e) {
      reason = e.toString();
    }
    events.add(new Event(this, "ended", reason, System.nanoTime()));
  }

  private void keep(String line) {
    synchronized (lastOutput) {
      if (lastOutput.size() == OUTPUT_LINES_MAX) {
        lastOutput.removeFirst();
      }
      lastOutput.addLast(line.substring(0, Math.min(line.length(), OUTPUT_LINE_CHARS_MAX)));
    }
  }

  ProcessPlan plan() {
    return plan;
  }

  String lastOutput() {
    synchronized (lastOutput) {
      return String.join("\n", lastOutput);
    }
  }

  ProcessUsage usage() throws IOException {
    return ProcessUsage.of(process.pid());
  }

  void tell(String line) throws IOException {
    Writer input = process.outputWriter(StandardCharsets.UTF_8);
    input.write(line + "\n");
    input.flush();
  }

  /** Asks the process to end; waits, and kills it where it does not. */
  @Override
  public void close() throws IOException {
    try {
      if (process.isAlive()) {
        tell("stop");
        if (process.waitFor(limits.stop().toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException alreadyGone) {
      // Its input is closed because it has ended or is about to; it is killed all the same.
      keep("stop: " + alreadyGone.getMessage());
    } finally {
      cleanUp.end(process);
    }
  }
}
