package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.Workload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Receivers at rest, each with a thread of its own, and a sender that wakes the first of them now
 * and then. Settings: {@code clients}, the number of receivers; each gets its number as {@code
 * partition}, and where messages to it go alone. Links must be polled.
 *
 * <pre>
 *   warm-up: the first one is woken | nothing is sent, usage is taken | the first one is woken
 *   warmupMs                        | {@value #REST_FACTOR} x measuredMs                  | measuredMs
 * </pre>
 *
 * <p>Latency counts from the moment in which a message is sent: it is what a wake-up costs.
 */
public final class IdleWorker implements Worker {

  /** Rest is watched so much longer than the counted time, as it takes little of a processor. */
  private static final int REST_FACTOR = 2;

  private static final double MILLIS_PER_SECOND = 1e3;

  private final Settings settings;
  private final Links.Opener links;
  private final Workload workload;
  private final StreamCheck check;
  private final List<Link> receivers = new ArrayList<>();
  private final List<Thread> pollers = new ArrayList<>();
  private final AtomicLong strays = new AtomicLong();
  private @Nullable Link sender;
  private volatile boolean stopped;

  /** Made by {@link ContestantProcess}. */
  public IdleWorker(Settings settings) {
    this(settings, Links::open);
  }

  IdleWorker(Settings settings, Links.Opener links) {
    this.settings = settings;
    this.links = links;
    this.workload = Workload.from(settings);
    this.check =
        new StreamCheck(workload.messageBytes(), true, System::nanoTime, new NothingToTell());
  }

  /** The counted time of this worker is not that of the messages. */
  private static final class NothingToTell implements Progress {

    @Override
    public void measuring() {}

    @Override
    public void measured() {}
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    int clients = settings.number("clients");
    for (int i = 0; i < clients; i++) {
      Map<String, String> own = new HashMap<>(settings.asMap());
      own.put("partition", Integer.toString(i));
      own.put("partitions", Integer.toString(clients));
      Link.Receiver receiver =
          i == 0 ? check : (buffer, offset, length) -> strays.incrementAndGet();
      Link link = links.open(Settings.of(own), Link.Side.RECEIVER, receiver);
      receivers.add(link);
      if (!link.isPolled()) {
        throw new IllegalArgumentException("idle clients need links that are polled");
      }
    }
    sender =
        links.open(
            settings, Link.Side.SENDER, (buffer, offset, length) -> strays.incrementAndGet());
    return Map.of();
  }

  @Override
  public Outcome run(Progress progress) throws Exception {
    Link sending = sender;
    if (sending == null) {
      throw new IllegalStateException("not prepared");
    }
    for (Link receiver : receivers) {
      Thread poller = new Thread(() -> poll(receiver), "client");
      poller.setDaemon(true);
      pollers.add(poller);
      poller.start();
    }
    ByteBuffer message = MessageFormat.allocate(workload.messageBytes());
    long sent = wake(sending, message, 0, workload.warmupMs(), MessageFormat.WARM_UP);
    sleepUntil(System.nanoTime() + intervalNs());
    progress.measuring();
    long restMs = REST_FACTOR * workload.measuredMs();
    sleepUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(restMs));
    progress.measured();
    sleepUntil(System.nanoTime() + intervalNs());
    sent = wake(sending, message, sent, workload.measuredMs(), MessageFormat.COUNTED);
    send(sending, message, sent, MessageFormat.END);
    check.awaitEnd();
    Outcome received = check.outcome();
    return new Outcome(
        sent,
        received.received(),
        received.counted(),
        received.seconds(),
        received.lost(),
        received.outOfOrder() + strays.get(),
        received.damaged(),
        received.latencyNs());
  }

  private long intervalNs() {
    return TimeUnit.SECONDS.toNanos(1) / workload.ratePerSecond();
  }

  /** Sends for a time, at least one message; returns the number of the next one. */
  private long wake(Link sending, ByteBuffer message, long first, long ms, int phase) {
    long count = Math.max(1, Math.round(workload.ratePerSecond() * (ms / MILLIS_PER_SECOND)));
    long startNs = System.nanoTime();
    for (long i = 0; i < count; i++) {
      sleepUntil(startNs + i * intervalNs());
      send(sending, message, first + i, phase);
    }
    sleepUntil(startNs + count * intervalNs());
    return first + count;
  }

  private static void send(Link sending, ByteBuffer message, long sequence, int phase) {
    MessageFormat.write(message, sequence, System.nanoTime(), phase);
    while (!sending.offer(message)) {
      sending.flush();
      sending.idle(0);
    }
    sending.flush();
  }

  private static void sleepUntil(long ns) {
    for (long left = ns - System.nanoTime(); left > 0; left = ns - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void poll(Link receiver) {
    try {
      while (!stopped) {
        receiver.idle(receiver.poll(true));
      }
    } catch (RuntimeException e) {
      ContestantProcess.fail(e);
    }
  }

  @Override
  public void close() throws Exception {
    stopped = true;
    for (Thread poller : pollers) {
      poller.join();
    }
    if (sender != null) {
      sender.close();
    }
    for (Link receiver : receivers) {
      receiver.close();
    }
  }
}
