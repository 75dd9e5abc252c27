package io.weirmq.bench.compare.worker;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Receives a stream of messages, verifies it and measures. Called by one thread at a time; {@link
 * #isEnded} and {@link #awaitEnd} by any.
 */
final class StreamCheck implements Link.Receiver {

  private static final double NANOS_PER_SECOND = 1e9;

  private final int messageBytes;
  private final LongSupplier nanoClock;
  private final Worker.Progress progress;
  private final boolean withLatency;
  private final Histogram latencyNs = new Histogram(Outcome.LATENCY_NS_MAX, 3);
  private final CountDownLatch ended = new CountDownLatch(1);

  private long expected;
  private long received;
  private long outOfOrder;
  private long damaged;
  private long total;
  private long counted;
  private long countedFromNs;
  private long countedToNs;

  StreamCheck(
      int messageBytes, boolean withLatency, LongSupplier nanoClock, Worker.Progress progress) {
    this.messageBytes = messageBytes;
    this.withLatency = withLatency;
    this.nanoClock = nanoClock;
    this.progress = progress;
  }

  @Override
  public void onMessage(ByteBuffer buffer, int offset, int length) {
    if (!MessageFormat.isWhole(buffer, offset, length, messageBytes)) {
      damaged++;
      return;
    }
    long sequence = MessageFormat.sequence(buffer, offset);
    int phase = MessageFormat.phase(buffer, offset);
    if (phase == MessageFormat.END) {
      end(sequence);
      return;
    }
    if (sequence < expected) {
      outOfOrder++;
      return;
    }
    expected = sequence + 1;
    received++;
    if (phase == MessageFormat.COUNTED) {
      count(MessageFormat.intendedNs(buffer, offset));
    }
  }

  private void count(long intendedNs) {
    if (counted == 0) {
      countedFromNs = nanoClock.getAsLong();
      progress.measuring();
    }
    counted++;
    if (withLatency) {
      long latency = nanoClock.getAsLong() - intendedNs;
      latencyNs.recordValue(Math.max(0, Math.min(latency, Outcome.LATENCY_NS_MAX)));
    }
  }

  private void end(long count) {
    if (ended.getCount() == 0) {
      outOfOrder++;
      return;
    }
    countedToNs = nanoClock.getAsLong();
    total = count;
    progress.measured();
    ended.countDown();
  }

  boolean isEnded() {
    return ended.getCount() == 0;
  }

  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  /** What was received; to be called after the end. */
  Outcome outcome() {
    return new Outcome(
        -1,
        received,
        counted,
        (countedToNs - countedFromNs) / NANOS_PER_SECOND,
        total - received,
        outOfOrder,
        damaged,
        withLatency ? latencyNs : null);
  }
}
