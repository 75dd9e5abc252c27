package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.Workload;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to an echo. Without a rate one message is in flight, and the next is sent when the
 * answer is there, so that no send time is ever missed; with a rate they are sent when they are
 * due.
 */
public final class RoundTripWorker implements Worker {

  private static final double NANOS_PER_SECOND = 1e9;

  private final Settings settings;
  private final Workload workload;
  private final ByteBuffer message;
  private final Histogram latencyNs = new Histogram(Outcome.LATENCY_NS_MAX, 3);
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable Link link;
  private @Nullable Progress progress;
  private volatile @Nullable Pace pace;

  // Written by the thread that receives; read by the other one after the end.
  private long sentOneByOne;
  private long received;
  private long counted;
  private long outOfOrder;
  private long damaged;
  private long countedFromNs;
  private long countedToNs;
  private long warmupEndNs;
  private long endNs;

  /** Made by {@link ContestantProcess}. */
  public RoundTripWorker(Settings settings) {
    this.settings = settings;
    this.workload = Workload.from(settings);
    this.message = MessageFormat.allocate(workload.messageBytes());
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    link = Links.open(settings, Link.Side.SENDER, this::onMessage);
    return link.facts();
  }

  @Override
  public Outcome run(Progress toTell) throws Exception {
    Link sending = opened();
    progress = toTell;
    warmupEndNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(workload.warmupMs());
    if (workload.ratePerSecond() == 0) {
      sendNext(System.nanoTime());
    } else {
      sendPaced(sending);
    }
    if (sending.isPolled()) {
      while (ended.getCount() > 0) {
        sending.idle(sending.poll(true));
      }
    } else {
      ended.await();
    }
    long sent = pace == null ? sentOneByOne : pace.total();
    return new Outcome(
        sent,
        received,
        counted,
        (countedToNs - countedFromNs) / NANOS_PER_SECOND,
        sent - received,
        outOfOrder,
        damaged,
        latencyNs);
  }

  private void sendPaced(Link sending) {
    Pace started = Pace.startingNow(workload, System::nanoTime);
    pace = started;
    while (!started.isOver()) {
      long due = started.due();
      for (long sequence = started.begun(); sequence < due; sequence++) {
        MessageFormat.write(
            message, sequence, started.intendedNs(sequence), started.phase(sequence));
        while (!sending.offer(message)) {
          sending.flush();
          sending.poll(false);
          sending.idle(0);
        }
      }
      if (due > started.begun()) {
        sending.flush();
      }
      started.begunTo(due);
      if (sending.poll(false) == 0) {
        started.idle();
      }
    }
  }

  private void sendNext(long nowNs) {
    int phase = nowNs - warmupEndNs < 0 ? MessageFormat.WARM_UP : MessageFormat.COUNTED;
    MessageFormat.write(message, sentOneByOne++, nowNs, phase);
    Link sending = opened();
    // Not polled meanwhile: this may run inside a poll, which would deliver its message again.
    while (!sending.offer(message)) {
      sending.idle(0);
    }
    sending.flush();
  }

  private void onMessage(ByteBuffer buffer, int offset, int length) {
    long nowNs = System.nanoTime();
    if (!MessageFormat.isWhole(buffer, offset, length, workload.messageBytes())) {
      damaged++;
      return;
    }
    if (MessageFormat.sequence(buffer, offset) != received) {
      outOfOrder++;
      return;
    }
    received++;
    if (MessageFormat.phase(buffer, offset) == MessageFormat.COUNTED) {
      count(MessageFormat.intendedNs(buffer, offset), nowNs);
    }
    Pace paced = pace;
    if (paced == null ? counted > 0 && nowNs - endNs >= 0 : received == paced.total()) {
      end(nowNs);
    } else if (paced == null) {
      sendNext(System.nanoTime());
    }
  }

  /** The counted time begins where the first counted message is sent. */
  private void count(long intendedNs, long nowNs) {
    if (counted == 0) {
      countedFromNs = intendedNs;
      endNs = intendedNs + TimeUnit.MILLISECONDS.toNanos(workload.measuredMs());
      progressToTell().measuring();
    }
    counted++;
    long latency = nowNs - intendedNs;
    latencyNs.recordValue(Math.max(0, Math.min(latency, Outcome.LATENCY_NS_MAX)));
  }

  private void end(long nowNs) {
    countedToNs = nowNs;
    progressToTell().measured();
    ended.countDown();
  }

  private Link opened() {
    Link opened = link;
    if (opened == null) {
      throw new IllegalStateException("not prepared");
    }
    return opened;
  }

  private Progress progressToTell() {
    Progress toTell = progress;
    if (toTell == null) {
      throw new IllegalStateException("an answer came before anything was sent");
    }
    return toTell;
  }

  @Override
  public void close() throws Exception {
    if (link != null) {
      link.close();
    }
  }
}
