package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import io.weirmq.bench.compare.Workload;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends a stream, at a fixed rate or as fast as it goes. */
public final class SenderWorker implements Worker {

  /** Messages between two looks at the clock, and between two flushes, at full speed. */
  private static final int BURST = 64;

  private final Settings settings;
  private @Nullable Link link;

  /** Made by {@link ContestantProcess}. */
  public SenderWorker(Settings settings) {
    this.settings = settings;
  }

  @Override
  public Map<String, String> prepare() throws Exception {
    link = Links.open(settings, Link.Side.SENDER, SenderWorker::unexpected);
    return link.facts();
  }

  private static void unexpected(ByteBuffer buffer, int offset, int length) {
    throw new IllegalStateException("a message of " + length + " bytes came in at the sender");
  }

  @Override
  public Outcome run(Progress progress) {
    Link sending = link;
    if (sending == null) {
      throw new IllegalStateException("not prepared");
    }
    Workload workload = Workload.from(settings);
    ByteBuffer message = MessageFormat.allocate(workload.messageBytes());
    long sent =
        workload.ratePerSecond() == 0
            ? flood(sending, message, workload)
            : pace(sending, message, workload);
    MessageFormat.write(message, sent, 0, MessageFormat.END);
    hand(sending, message);
    sending.flush();
    return Outcome.ofSender(sent);
  }

  /**
   * The counted time begins with the first burst behind the warm-up, so that there always is one.
   */
  private static long flood(Link link, ByteBuffer message, Workload workload) {
    long warmupEndNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(workload.warmupMs());
    long sent = 0;
    while (System.nanoTime() - warmupEndNs < 0) {
      sent = burst(link, message, sent, MessageFormat.WARM_UP);
    }
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(workload.measuredMs());
    do {
      sent = burst(link, message, sent, MessageFormat.COUNTED);
    } while (System.nanoTime() - endNs < 0);
    return sent;
  }

  private static long burst(Link link, ByteBuffer message, long first, int phase) {
    for (long sequence = first; sequence < first + BURST; sequence++) {
      MessageFormat.write(message, sequence, 0, phase);
      hand(link, message);
    }
    link.flush();
    return first + BURST;
  }

  private static long pace(Link link, ByteBuffer message, Workload workload) {
    Pace pace = Pace.startingNow(workload, System::nanoTime);
    while (!pace.isOver()) {
      long due = pace.due();
      for (long sequence = pace.begun(); sequence < due; sequence++) {
        MessageFormat.write(message, sequence, pace.intendedNs(sequence), pace.phase(sequence));
        hand(link, message);
      }
      if (due > pace.begun()) {
        link.flush();
      }
      pace.begunTo(due);
      pace.idle();
    }
    return pace.begun();
  }

  private static void hand(Link link, ByteBuffer message) {
    while (!link.offer(message)) {
      link.flush();
      link.idle(0);
    }
  }

  @Override
  public void close() throws Exception {
    if (link != null) {
      link.close();
    }
  }
}
