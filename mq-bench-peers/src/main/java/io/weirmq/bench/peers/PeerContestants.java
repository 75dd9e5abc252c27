package io.weirmq.bench.peers;

import io.weirmq.bench.compare.Contestant;
import io.weirmq.bench.compare.ContestantProvider;
import io.weirmq.bench.compare.MeasureKind;
import io.weirmq.bench.compare.ProcessPlan;
import io.weirmq.bench.compare.Role;
import io.weirmq.bench.compare.Scenario;
import io.weirmq.bench.peers.aeron.AeronLink;
import io.weirmq.bench.peers.aeron.ArchiveWorker;
import io.weirmq.bench.peers.aeron.MediaDriverWorker;
import io.weirmq.bench.peers.chronicle.ChronicleLink;
import io.weirmq.bench.peers.jeromq.JeroMqLink;
import io.weirmq.bench.peers.transport.NettyLink;
import io.weirmq.bench.peers.transport.SpiLink;
import io.weirmq.transport.shm.WaitStrategy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Who takes part in what. Stateless. */
public final class PeerContestants implements ContestantProvider {

  private static final String TRANSPORT_PROMISE =
      "in order, bounded memory; lost with the processes";
  static final String PAGE_CACHE_PROMISE =
      "survives the processes; on the disk when the system writes it back (no fsync)";

  /** Messages that are offered to a transport together where nothing is paced. */
  private static final int FULL_SPEED_BATCH_MESSAGES = 64;

  /** Made by the service loader. */
  public PeerContestants() {}

  @Override
  public List<Contestant> contestants() {
    List<Contestant> all = new ArrayList<>();
    Collections.addAll(
        all,
        sharedMemory(
            "weirmq-shm-spin",
            WaitStrategy.BUSY_SPIN,
            "SPIN",
            "BUSY_SPIN: the receiver's I/O thread, and the sender, which polls the transport itself",
            anyOf(IpcSuite.TRANSPORT).and(PeerContestants::isUnpaced)),
        sharedMemory(
            "weirmq-shm-adaptive",
            WaitStrategy.ADAPTIVE,
            "YIELD",
            "ADAPTIVE: the receiver's I/O thread looks for a learned time, up to some 50 µs, then sleeps until the bell; the sender polls the transport itself and yields where it has no room",
            anyOf(IpcSuite.TRANSPORT)),
        weirMqTcp(),
        aeronIpc(
            "aeron-ipc-spin",
            "spin",
            "both ends BusySpinIdleStrategy",
            anyOf(IpcSuite.TRANSPORT).and(PeerContestants::isUnpaced)),
        aeronIpc(
            "aeron-ipc-backoff",
            "backoff",
            "both ends BackoffIdleStrategy (spins, yields, then parks up to 1 ms)",
            anyOf(IpcSuite.TRANSPORT)),
        nettyTcp(),
        jeroMq(),
        aeronArchive(),
        chronicleQueue());
    all.addAll(BrokerContestants.all());
    return List.copyOf(all);
  }

  static Predicate<Scenario> anyOf(String category) {
    return scenario -> scenario.category().equals(category);
  }

  private static boolean isUnpaced(Scenario scenario) {
    return scenario.ratePerSecond() == 0;
  }

  private static Contestant sharedMemory(
      String id,
      WaitStrategy strategy,
      String idler,
      String waiting,
      Predicate<Scenario> scenarios) {
    return new PeerContestant(
        id,
        "WeirMQ shared memory, " + strategy,
        Role.SUBJECT,
        TRANSPORT_PROMISE,
        waiting,
        scenarios,
        (scenario, folders) ->
            new Ends(
                    SpiLink.class,
                    JvmFlags.PLAIN,
                    Map.of(
                        "endpoint",
                        "shm:" + folders.memory().resolve("ipc"),
                        "waitStrategy",
                        strategy.name(),
                        "idler",
                        idler,
                        "batch",
                        batch(scenario)))
                .processes(scenario));
  }

  /** Messages that are offered together: several where as many as possible have to go. */
  private static String batch(Scenario scenario) {
    return Integer.toString(
        scenario.kind() == MeasureKind.THROUGHPUT ? FULL_SPEED_BATCH_MESSAGES : 1);
  }

  private static Contestant weirMqTcp() {
    return new PeerContestant(
        "weirmq-tcp",
        "WeirMQ TCP (mq-transport-netty)",
        Role.BASELINE,
        TRANSPORT_PROMISE,
        "I/O threads block in epoll; a sender without room parks",
        anyOf(IpcSuite.TRANSPORT),
        (scenario, folders) ->
            new Ends(
                    SpiLink.class,
                    JvmFlags.PLAIN,
                    Map.of(
                        "endpoint", "tcp://127.0.0.1:0", "idler", "PARK", "batch", batch(scenario)))
                .processes(scenario));
  }

  private static Contestant aeronIpc(
      String id, String idle, String waiting, Predicate<Scenario> scenarios) {
    return new PeerContestant(
        id,
        "Aeron IPC " + Versions.of("aeron") + ", " + idle,
        Role.PEER,
        TRANSPORT_PROMISE,
        waiting + "; media driver in a third process, ThreadingMode.SHARED, backoff",
        scenarios,
        (scenario, folders) -> {
          Map<String, String> settings =
              Map.of("aeronFolder", folders.memory().resolve("aeron").toString(), "idle", idle);
          return new Ends(AeronLink.class, JvmFlags.OPENED, settings)
              .processes(
                  scenario,
                  ProcessPlan.helping(
                      "media driver",
                      MediaDriverWorker.class.getName(),
                      JvmFlags.OPENED,
                      settings));
        });
  }

  private static Contestant nettyTcp() {
    return new PeerContestant(
        "netty-tcp",
        "Netty " + Versions.of("netty") + " TCP alone",
        Role.PEER,
        TRANSPORT_PROMISE,
        "event loops block in epoll; a sender without room parks",
        anyOf(IpcSuite.TRANSPORT),
        (scenario, folders) ->
            new Ends(NettyLink.class, JvmFlags.PLAIN, Map.of()).processes(scenario));
  }

  private static Contestant jeroMq() {
    return new PeerContestant(
        "jeromq-tcp",
        "JeroMQ " + Versions.of("jeromq") + ", PAIR over TCP",
        Role.PEER,
        TRANSPORT_PROMISE,
        "blocks in recv; a sender at the high-water mark (1,000) parks",
        anyOf(IpcSuite.TRANSPORT),
        (scenario, folders) ->
            new Ends(JeroMqLink.class, JvmFlags.PLAIN, Map.of()).processes(scenario));
  }

  private static Contestant aeronArchive() {
    return new PeerContestant(
        "aeron-archive",
        "Aeron Archive " + Versions.of("aeron") + ", recorded IPC",
        Role.PEER,
        "recorded beside the live subscriber, which may be ahead of the recording by a term's window; "
            + PAGE_CACHE_PROMISE,
        "both ends BackoffIdleStrategy; archive and media driver in a third process, one thread each, backoff",
        anyOf(IpcSuite.DURABLE),
        (scenario, folders) -> {
          Map<String, String> settings =
              Map.of(
                  "aeronFolder", folders.memory().resolve("aeron").toString(),
                  "archive", folders.data().resolve("archive").toString(),
                  "idle", "backoff");
          return new Ends(AeronLink.class, JvmFlags.OPENED, settings)
              .processes(
                  scenario,
                  ProcessPlan.helping(
                      "archive", ArchiveWorker.class.getName(), JvmFlags.OPENED, settings));
        });
  }

  private static Contestant chronicleQueue() {
    return new PeerContestant(
        "chronicle-queue",
        "Chronicle Queue " + Versions.of("chronicle-queue"),
        Role.PEER,
        PAGE_CACHE_PROMISE,
        "the tailer spins",
        anyOf(IpcSuite.DURABLE),
        (scenario, folders) ->
            new Ends(
                    ChronicleLink.class,
                    JvmFlags.OPENED,
                    Map.of("queueFolder", folders.data().resolve("queue").toString()))
                .processes(scenario));
  }
}
