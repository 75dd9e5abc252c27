package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.worker.ContestantProcess;
import io.weirmq.bench.compare.worker.Lines;
import io.weirmq.bench.host.JavaCommand;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Command lines of processes. Immutable.
 *
 * @param pins processors by order of start, in the form that {@code taskset -c} takes; the n-th
 *     process of a turn runs on the n-th of them, beginning again behind the last; empty where the
 *     system chooses
 */
record CommandLines(List<String> pins) {

  CommandLines {
    pins = List.copyOf(pins);
  }

  /**
   * Returns the command of a process.
   *
   * @param order its place among the processes of the turn, from 0
   * @param settings all that its worker needs
   */
  List<String> of(ProcessPlan plan, int order, Map<String, String> settings) {
    List<String> command = new ArrayList<>();
    if (!pins.isEmpty()) {
      command.addAll(List.of("taskset", "-c", pins.get(order % pins.size())));
    }
    List<String> arguments = new ArrayList<>(List.of(plan.workerClass()));
    new TreeMap<>(settings)
        .forEach((key, value) -> arguments.add(Lines.encode(Map.of(key, value))));
    command.addAll(
        JavaCommand.of(
            plan.jvmFlags(), classPath(plan), ContestantProcess.class.getName(), arguments));
    return command;
  }

  private static String classPath(ProcessPlan plan) {
    String own = plan.classPath();
    if (own == null) {
      return JavaCommand.ownClassPath();
    }
    return String.join(
        File.pathSeparator, own, home(ContestantProcess.class), home(Histogram.class));
  }

  /** Where a class was loaded from. */
  private static String home(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("location of " + type + " is no path", e);
    }
  }
}
