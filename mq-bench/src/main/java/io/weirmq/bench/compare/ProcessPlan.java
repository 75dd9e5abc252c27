package io.weirmq.bench.compare;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process of a contestant. Immutable.
 *
 * @param role name for reports: broker, receiver, sender, ...
 * @param workerClass class that does its work, see package {@code worker}
 * @param reports whether it is told to go and gives a result; helpers don't
 * @param jvmFlags flags of its JVM
 * @param classPath class path, or null for that of the driver; the driver's module is put behind it
 * @param settings what the worker needs, beside the workload and the facts of the processes before
 */
public record ProcessPlan(
    String role,
    String workerClass,
    boolean reports,
    List<String> jvmFlags,
    @Nullable String classPath,
    Map<String, String> settings) {

  public ProcessPlan {
    jvmFlags = List.copyOf(jvmFlags);
    settings = Map.copyOf(settings);
  }

  /** A process that takes part in the measurement and reports, on the driver's class path. */
  public static ProcessPlan reporting(
      String role, String workerClass, List<String> jvmFlags, Map<String, String> settings) {
    return new ProcessPlan(role, workerClass, true, jvmFlags, null, settings);
  }

  /** A process that others need, on the driver's class path. */
  public static ProcessPlan helping(
      String role, String workerClass, List<String> jvmFlags, Map<String, String> settings) {
    return new ProcessPlan(role, workerClass, false, jvmFlags, null, settings);
  }
}
