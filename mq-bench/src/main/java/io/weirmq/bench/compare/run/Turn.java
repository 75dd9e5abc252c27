package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.compare.Workload;
import io.weirmq.bench.compare.report.Measurement;
import io.weirmq.bench.compare.report.ProcessUse;
import io.weirmq.bench.compare.worker.Lines;
import io.weirmq.bench.compare.worker.Outcome;
import io.weirmq.bench.host.ProcessUsage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A contestant's turn in a scenario: starts its processes, lets them work, takes the figures. */
final class Turn implements AutoCloseable {

  private static final int CLOCK_EXCHANGES = 20;

  private final Scenario scenario;
  private final Workload workload;
  private final CommandLines commandLines;
  private final TurnLimits limits;
  private final CleanUp cleanUp;
  private final Consumer<String> step;

  private final BlockingQueue<ChildProcess.Event> events = new LinkedBlockingQueue<>();
  private final List<ChildProcess> children = new ArrayList<>();
  private final Map<String, String> facts = new HashMap<>();
  private long clockUncertaintyNs;

  Turn(
      Scenario scenario,
      Workload workload,
      CommandLines commandLines,
      TurnLimits limits,
      CleanUp cleanUp,
      Consumer<String> step) {
    this.scenario = scenario;
    this.workload = workload;
    this.commandLines = commandLines;
    this.limits = limits;
    this.cleanUp = cleanUp;
    this.step = step;
  }

  /**
   * Runs the turn.
   *
   * @throws TurnFailedException where there are no figures
   */
  Measurement run(Contestant contestant, TurnFolders folders)
      throws TurnFailedException, IOException, InterruptedException {
    for (ProcessPlan plan : contestant.processes(scenario, folders)) {
      start(plan, folders);
    }
    List<ChildProcess> reporting =
        children.stream().filter(child -> child.plan().reports()).toList();
    if (reporting.isEmpty()) {
      throw new TurnFailedException("no process of " + contestant.id() + " reports anything");
    }
    for (ChildProcess child : reporting) {
      child.tell("go");
    }
    return measure(reporting);
  }

  /** What the JVMs were started with, by role. */
  List<String> jvmFlags() {
    return children.stream()
        .map(child -> child.plan().role() + ": " + String.join(" ", child.plan().jvmFlags()))
        .toList();
  }

  private void start(ProcessPlan plan, TurnFolders folders)
      throws TurnFailedException, IOException, InterruptedException {
    step.accept("starts " + plan.role());
    Map<String, String> settings = new HashMap<>(workload.toSettings());
    settings.putAll(facts);
    settings.putAll(plan.settings());
    ChildProcess child =
        ChildProcess.start(
            plan,
            commandLines.of(plan, children.size(), settings),
            folders.memory(),
            events,
            cleanUp,
            limits);
    children.add(child);
    long deadlineNs = System.nanoTime() + limits.start().toNanos();
    facts.putAll(Lines.decode(await(child, "ready", deadlineNs).rest()));
    compareClocks(child, deadlineNs);
  }

  private void compareClocks(ChildProcess child, long deadlineNs)
      throws TurnFailedException, IOException, InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < CLOCK_EXCHANGES; i++) {
      long beforeNs = System.nanoTime();
      child.tell("clock");
      ChildProcess.Event answer = await(child, "clock", deadlineNs);
      ClockExchange exchange =
          new ClockExchange(beforeNs, Long.parseLong(answer.rest()), answer.atNs());
      if (!exchange.isSameClock()) {
        throw new TurnFailedException(
            "the clock of %s reads %d ns, ours %d before and %d after: no common clock, one-way latencies mean nothing"
                .formatted(child.plan().role(), exchange.foreignNs(), beforeNs, answer.atNs()));
      }
      least = Math.min(least, exchange.uncertaintyNs());
    }
    clockUncertaintyNs = Math.max(clockUncertaintyNs, least);
  }

  private Measurement measure(List<ChildProcess> reporting)
      throws TurnFailedException, IOException, InterruptedException {
    step.accept("warms up");
    long deadlineNs =
        System.nanoTime()
            + TimeUnit.MILLISECONDS.toNanos(workload.warmupMs() + workload.measuredMs())
            + limits.drain().toNanos();
    Map<ChildProcess, ProcessUsage> before = Map.of();
    List<ProcessUse> uses = List.of();
    double usageSeconds = 0;
    long measuringNs = 0;
    List<Outcome> outcomes = new ArrayList<>();
    while (outcomes.size() < reporting.size()) {
      ChildProcess.Event event = next("the results", deadlineNs);
      switch (event.word()) {
        case "measuring" -> {
          measuringNs = System.nanoTime();
          before = usages();
          step.accept("is measured");
        }
        case "measured" -> {
          uses = usesSince(before);
          usageSeconds = (System.nanoTime() - measuringNs) / 1e9;
        }
        case "result" -> outcomes.add(Outcome.fromMap(Lines.decode(event.rest())));
        default -> throw unexpected(event, "the results");
      }
    }
    if (uses.isEmpty()) {
      throw new TurnFailedException("no process told when the counted time began and ended");
    }
    Outcome together = together(outcomes);
    requireComplete(together);
    return Measurement.of(workload.kind(), together, uses, usageSeconds, clockUncertaintyNs);
  }

  private Map<ChildProcess, ProcessUsage> usages() throws IOException {
    Map<ChildProcess, ProcessUsage> usages = new HashMap<>();
    for (ChildProcess child : children) {
      usages.put(child, child.usage());
    }
    return usages;
  }

  private List<ProcessUse> usesSince(Map<ChildProcess, ProcessUsage> before)
      throws TurnFailedException, IOException {
    List<ProcessUse> uses = new ArrayList<>();
    for (ChildProcess child : children) {
      ProcessUsage then = before.get(child);
      if (then == null) {
        throw new TurnFailedException("the counted time ended before it began");
      }
      ProcessUsage now = child.usage();
      uses.add(
          new ProcessUse(
              child.plan().role(),
              !child.plan().reports(),
              now.cpuSeconds() - then.cpuSeconds(),
              now.residentBytes()));
    }
    return uses;
  }

  /** One outcome of those of all processes: each count comes from the one that has it. */
  static Outcome together(List<Outcome> outcomes) {
    Outcome sum = Outcome.ofSender(-1);
    for (Outcome outcome : outcomes) {
      boolean receives = outcome.received() >= 0;
      sum =
          new Outcome(
              Math.max(sum.sent(), outcome.sent()),
              Math.max(sum.received(), outcome.received()),
              Math.max(sum.counted(), outcome.counted()),
              receives ? outcome.seconds() : sum.seconds(),
              sum.lost() + outcome.lost(),
              sum.outOfOrder() + outcome.outOfOrder(),
              sum.damaged() + outcome.damaged(),
              outcome.latencyNs() != null ? outcome.latencyNs() : sum.latencyNs());
    }
    return sum;
  }

  private static void requireComplete(Outcome outcome) throws TurnFailedException {
    if (outcome.lost() != 0 || outcome.outOfOrder() != 0 || outcome.damaged() != 0) {
      throw new TurnFailedException(
          "of %d messages sent %d came: %d lost, %d twice or out of order, %d damaged; figures of such a turn don't count"
              .formatted(
                  outcome.sent(),
                  outcome.received(),
                  outcome.lost(),
                  outcome.outOfOrder(),
                  outcome.damaged()));
    }
    if (outcome.counted() <= 0 || outcome.seconds() <= 0) {
      throw new TurnFailedException(
          "%d messages in %.3f s counted: too few to tell anything; measure longer"
              .formatted(outcome.counted(), outcome.seconds()));
    }
  }

  private ChildProcess.Event await(ChildProcess child, String word, long deadlineNs)
      throws TurnFailedException, InterruptedException {
    String what = "'%s' of %s".formatted(word, child.plan().role());
    ChildProcess.Event event = next(what, deadlineNs);
    if (event.from() != child || !event.word().equals(word)) {
      throw unexpected(event, what);
    }
    return event;
  }

  private ChildProcess.Event next(String awaited, long deadlineNs)
      throws TurnFailedException, InterruptedException {
    ChildProcess.Event event =
        events.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
    if (event == null) {
      throw new TurnFailedException("timed out while waiting for " + awaited + outputs());
    }
    return event;
  }

  private TurnFailedException unexpected(ChildProcess.Event event, String awaited) {
    String role = event.from().plan().role();
    return switch (event.word()) {
      case "failed" ->
          new TurnFailedException(
              role + " failed: " + Lines.decodeText(event.rest()).strip() + outputs());
      case "ended" ->
          new TurnFailedException(role + " ended while waiting for " + awaited + outputs());
      default ->
          new TurnFailedException(
              "%s said '%s' while waiting for %s".formatted(role, event.word(), awaited));
    };
  }

  private String outputs() {
    StringBuilder text = new StringBuilder();
    for (ChildProcess child : children) {
      String output = child.lastOutput();
      if (!output.isEmpty()) {
        text.append("\nlast output of ").append(child.plan().role()).append(":\n").append(output);
      }
    }
    return text.toString();
  }

  /** Ends the processes, the last one started first. */
  @Override
  public void close() throws IOException {
    IOException first = null;
    for (int i = children.size() - 1; i >= 0; i--) {
      try {
        children.get(i).close();
      } catch (IOException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
