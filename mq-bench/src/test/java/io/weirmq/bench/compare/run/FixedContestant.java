package io.weirmq.bench.compare.run;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.compare.worker.EchoWorker;
import io.weirmq.bench.compare.worker.ReceiverWorker;
import io.weirmq.bench.compare.worker.RoundTripWorker;
import io.weirmq.bench.compare.worker.SenderWorker;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A contestant without promises in small JVMs. */
record FixedContestant(
    String id, Role role, Predicate<Scenario> scenarios, Map<String, String> settings)
    implements Contestant {

  private static final List<String> JVM_FLAGS =
      List.of("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** One that moves messages over sockets. */
  static Contestant sockets(String id, Role role, Predicate<Scenario> scenarios) {
    return new FixedContestant(id, role, scenarios, Map.of("link", SocketLink.class.getName()));
  }

  /** One that misbehaves, see {@link FakeWorker}. */
  static Contestant fake(String fault) {
    return new FixedContestant(fault, Role.SUBJECT, scenario -> true, Map.of("fault", fault));
  }

  @Override
  public String title() {
    return id;
  }

  @Override
  public String promise() {
    return "none";
  }

  @Override
  public String waiting() {
    return "yields";
  }

  @Override
  public boolean takesPartIn(Scenario scenario) {
    return scenarios.test(scenario);
  }

  @Override
  public List<ProcessPlan> processes(Scenario scenario, TurnFolders folders) {
    if (settings.containsKey("fault")) {
      return List.of(reporting("fake", FakeWorker.class));
    }
    return scenario.kind() == MeasureKind.ROUND_TRIP
        ? List.of(
            ProcessPlan.helping("echo", EchoWorker.class.getName(), JVM_FLAGS, settings),
            reporting("client", RoundTripWorker.class))
        : List.of(
            reporting("receiver", ReceiverWorker.class), reporting("sender", SenderWorker.class));
  }

  private ProcessPlan reporting(String role, Class<?> worker) {
    return ProcessPlan.reporting(role, worker.getName(), JVM_FLAGS, settings);
  }
}
