package io.weirmq.server.internal.partition;

import io.weirmq.replication.Partition;
import io.weirmq.storage.TopicPartition;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log of reads that the disk refuses: one line per partition and minute, as clients ask
 * again at once and for as long as it lasts. The stack trace is at level debug.
 *
 * <p>Safe for use by several threads. Memory: one entry per partition that ever failed.
 */
public final class ReadFailures {

  /** Time in which further failures of a partition are only counted. */
  static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ReadFailures.class);

  private final LongSupplier nanoClock;
  private final Map<TopicPartition, Told> told = new HashMap<>();

  /** Makes it with a clock that counts nanoseconds from anywhere. */
  public ReadFailures(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** What was told of a partition last, and how many failures since were not. */
  private record Told(long atNanos, int untold) {}

  /**
   * Notes a failure.
   *
   * @param what was asked for, such as {@code "offset 17"}
   */
  public void note(Partition partition, String what, IOException cause) {
    LOG.debug("{} can't be read at {}", partition, what, cause);
    int untold = tellAfter(partition.topicPartition());
    if (untold >= 0) {
      LOG.error(
          "{} can't be read at {}, after {} failures that were not told: {}",
          partition,
          what,
          untold,
          cause.getMessage());
    }
  }

  /** Returns how many failures were passed over before this one; -1 where this one is, too. */
  synchronized int tellAfter(TopicPartition partition) {
    long now = nanoClock.getAsLong();
    Told last = told.get(partition);
    if (last != null && now - last.atNanos() < QUIET_NANOS) {
      told.put(partition, new Told(last.atNanos(), last.untold() + 1));
      return -1;
    }
    told.put(partition, new Told(now, 0));
    return last == null ? 0 : last.untold();
  }
}
