package io.weirmq.bench.peers;

import static io.weirmq.bench.peers.PeerContestants.PAGE_CACHE_PROMISE;
import static io.weirmq.bench.peers.PeerContestants.anyOf;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.compare.TurnFolders;
import io.weirmq.bench.peers.kafka.Brokers;
import io.weirmq.bench.peers.kafka.KafkaLink;
import io.weirmq.bench.peers.weirmq.IpcLink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Who takes part with a broker in a process of its own. Stateless. */
final class BrokerContestants {

  private static final String IPC_PROMISE =
      "idempotent, acknowledged when it is in the leader's log; " + PAGE_CACHE_PROMISE;

  private static final String LEADER_ACK_PROMISE =
      "acks=1: acknowledged when it is in the leader's log; " + PAGE_CACHE_PROMISE;

  private BrokerContestants() {}

  /** In the order in which they take their turns. */
  static List<Contestant> all() {
    return List.of(
        weirMqIpc(
            "weirmq-ipc",
            "WeirMQ broker, IPC publisher and subscriber",
            Map.of(),
            "default",
            "defaults: the subscriber spins 10 µs, yields 200 µs, then sleeps; the broker's threads sleep when idle",
            anyOf(IpcSuite.DURABLE).or(anyOf(IpcSuite.IDLE))),
        weirMqIpc(
            "weirmq-ipc-yielding",
            "WeirMQ broker, IPC publisher and subscriber, yielding",
            Map.of("shm.wait.strategy", "yielding", "weirmq.append.wait.strategy", "yielding"),
            "yield",
            "the subscriber, the broker's I/O thread and its writer yield and never sleep; the publisher's I/O thread ADAPTIVE",
            anyOf(IpcSuite.DURABLE)),
        weirMqByKafkaClientsInMemory(),
        weirMqByKafkaClients(),
        kafka());
  }

  private static Contestant weirMqIpc(
      String id,
      String title,
      Map<String, String> brokerSettings,
      String subscriberWaiting,
      String waiting,
      Predicate<Scenario> scenarios) {
    return new PeerContestant(
        id,
        title,
        Role.SUBJECT,
        IPC_PROMISE,
        waiting + "; a publisher without room yields",
        scenarios,
        (scenario, folders) -> {
          Path shm = folders.memory().resolve("broker");
          return new Ends(
                  IpcLink.class,
                  JvmFlags.PLAIN,
                  Map.of("shmFolder", shm.toString(), "waiting", subscriberWaiting))
              .processes(scenario, Brokers.weirMqLocal(folders, shm, brokerSettings));
        });
  }

  private static Contestant weirMqByKafkaClientsInMemory() {
    return new PeerContestant(
        "weirmq-kafka-shm",
        "WeirMQ broker, Kafka clients " + Versions.of("kafka") + " in shared memory",
        Role.SUBJECT,
        LEADER_ACK_PROMISE,
        kafkaWaiting()
            + "; clients that poll shared memory, and the broker's I/O threads for it, ADAPTIVE",
        BrokerContestants::comparesTransportsOfClients,
        (scenario, folders) -> {
          Path shm = folders.memory().resolve("broker");
          return kafkaEnds(scenario, Map.of("shmFolder", shm.toString()))
              .processes(scenario, localBroker(folders, shm));
        });
  }

  /** Beside shared memory it runs with the very broker that the clients there have. */
  private static Contestant weirMqByKafkaClients() {
    return new PeerContestant(
        "weirmq-kafka-tcp",
        "WeirMQ broker, Kafka clients " + Versions.of("kafka") + " over TCP",
        Role.BASELINE,
        LEADER_ACK_PROMISE,
        kafkaWaiting(),
        anyOf(IpcSuite.DURABLE).or(BrokerContestants::comparesTransportsOfClients),
        (scenario, folders) ->
            kafkaEnds(scenario, Map.of())
                .processes(
                    scenario,
                    comparesTransportsOfClients(scenario)
                        ? localBroker(folders, folders.memory().resolve("broker"))
                        : Brokers.weirMq(folders, Map.of())));
  }

  private static boolean comparesTransportsOfClients(Scenario scenario) {
    return anyOf(IpcSuite.KAFKA_OVER).or(anyOf(IpcSuite.IDLE)).test(scenario);
  }

  private static ProcessPlan localBroker(TurnFolders folders, Path shm) throws IOException {
    return Brokers.weirMqLocal(folders, shm, Map.of());
  }

  private static Contestant kafka() {
    return new PeerContestant(
        "kafka-tcp",
        "Kafka " + Versions.of("kafka") + " broker and clients, TCP",
        Role.PEER,
        LEADER_ACK_PROMISE,
        kafkaWaiting(),
        anyOf(IpcSuite.DURABLE),
        (scenario, folders) ->
            kafkaEnds(scenario, Map.of()).processes(scenario, Brokers.kafka(folders)));
  }

  private static String kafkaWaiting() {
    return "clients block; at full speed linger 5 ms and batches of 256 KiB, else linger 0 and batches of 16 KiB";
  }

  private static Ends kafkaEnds(Scenario scenario, Map<String, String> more) {
    boolean fullSpeed = scenario.kind() == MeasureKind.THROUGHPUT;
    Map<String, String> settings = new HashMap<>(more);
    settings.put("lingerMs", fullSpeed ? "5" : "0");
    settings.put("batchBytes", fullSpeed ? "262144" : "16384");
    return new Ends(KafkaLink.class, JvmFlags.PLAIN, settings);
  }
}
