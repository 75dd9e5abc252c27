package io.weirmq.bench.peers;

import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.worker.EchoWorker;
import io.weirmq.bench.compare.worker.IdleWorker;
import io.weirmq.bench.compare.worker.Link;
import io.weirmq.bench.compare.worker.ReceiverWorker;
import io.weirmq.bench.compare.worker.RoundTripWorker;
import io.weirmq.bench.compare.worker.SenderWorker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The two processes at the ends of a link, behind those that help them. Immutable.
 *
 * @param link both ends
 * @param jvmFlags flags of both JVMs
 * @param settings what both ends need
 */
record Ends(Class<? extends Link> link, List<String> jvmFlags, Map<String, String> settings) {

  /** Receivers at rest. */
  static final int IDLE_CLIENTS = 20;

  /** How long each of them waits at a time. */
  private static final long IDLE_POLL_MS = 1_000;

  /** The processes of a scenario: its helpers, then the ends. */
  List<ProcessPlan> processes(Scenario scenario, ProcessPlan... helpers) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("link", link.getName());
    List<ProcessPlan> plans = new ArrayList<>(List.of(helpers));
    if (scenario.kind() == MeasureKind.ROUND_TRIP) {
      plans.add(ProcessPlan.helping("echo", EchoWorker.class.getName(), jvmFlags, all));
      plans.add(ProcessPlan.reporting("client", RoundTripWorker.class.getName(), jvmFlags, all));
    } else if (scenario.kind() == MeasureKind.IDLE) {
      all.put("clients", Integer.toString(IDLE_CLIENTS));
      all.put("pollMs", Long.toString(IDLE_POLL_MS));
      plans.add(ProcessPlan.reporting("clients", IdleWorker.class.getName(), jvmFlags, all));
    } else {
      plans.add(ProcessPlan.reporting("receiver", ReceiverWorker.class.getName(), jvmFlags, all));
      plans.add(ProcessPlan.reporting("sender", SenderWorker.class.getName(), jvmFlags, all));
    }
    return plans;
  }
}
