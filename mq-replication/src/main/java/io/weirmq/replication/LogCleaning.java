package io.weirmq.replication;

import io.weirmq.storage.CleaningNeed;
import io.weirmq.storage.CleaningResult;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.LogCleaner;
import io.weirmq.storage.PartitionLog;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.record.CorruptBatchException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses which of the hosted logs is compacted next, and does it: one whose records are older than
 * {@code max.compaction.lag.ms} first, else the one with the largest share of new bytes.
 *
 * <p>A log that can't be compacted is set aside, with one line in the broker's log, and the others
 * go on: until the next start where it is damaged, else for {@link #RETRY_MS}.
 *
 * <p>Safe for use by several threads, which never compact the same log at the same time. Everything
 * blocks while disks and pipelines work.
 */
public final class LogCleaning {

  /** How long a log is set aside whose disk refused, in milliseconds. */
  static final long RETRY_MS = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(LogCleaning.class);

  private final Supplier<? extends Collection<Partition>> partitions;
  private final LogCleaner cleaner;
  private final InstantSource clock;

  /** Guarded by itself. */
  private final Set<PartitionLog> inProgress = new HashSet<>();

  private final Map<PartitionLog, SetAside> setAside = new ConcurrentHashMap<>();
  private volatile CleaningStatus status;

  /**
   * A log that is left alone. Immutable.
   *
   * @param untilMs wall clock, the largest long for good
   * @param bytes size of what waits for compaction
   */
  private record SetAside(long untilMs, long bytes) {}

  private record Candidate(Partition partition, CleaningNeed need) {}

  /**
   * Makes the choice over partitions.
   *
   * @param partitions those held now
   * @param clock wall clock
   */
  public LogCleaning(
      Supplier<? extends Collection<Partition>> partitions,
      LogCleaner cleaner,
      InstantSource clock) {
    this.partitions = partitions;
    this.cleaner = cleaner;
    this.clock = clock;
    this.status = CleaningStatus.initial(clock.millis());
  }

  /**
   * Compacts the log that needs it most.
   *
   * @param stop looked at often; once it is true a run under way ends
   * @return false where no log needs it
   */
  public boolean cleanOne(BooleanSupplier stop) {
    Candidate chosen = choose();
    if (chosen == null) {
      return false;
    }
    try {
      return clean(chosen, stop);
    } finally {
      synchronized (inProgress) {
        inProgress.remove(chosen.partition().log());
      }
    }
  }

  private @Nullable Candidate choose() {
    Collection<Partition> held = partitions.get();
    forgetLogsThatAreGone(held);
    synchronized (inProgress) {
      Candidate best = null;
      double dirtiest = 0;
      for (Partition partition : held) {
        CleaningNeed need = need(partition);
        if (need == null) {
          continue;
        }
        dirtiest = Math.max(dirtiest, need.dirtyRatio());
        if (need.isDue() && (best == null || isBefore(need, best.need()))) {
          best = new Candidate(partition, need);
        }
      }
      status = status.chosen(dirtiest, clock.millis());
      if (best != null) {
        inProgress.add(best.partition().log());
      }
      return best;
    }
  }

  private static boolean isBefore(CleaningNeed one, CleaningNeed other) {
    return one.overdue() != other.overdue() ? one.overdue() : one.dirtyRatio() > other.dirtyRatio();
  }

  /** Returns null where a log is not to be looked at. */
  private @Nullable CleaningNeed need(Partition partition) {
    PartitionLog log = partition.log();
    if (!log.config().compact() || partition.isClosed() || inProgress.contains(log)) {
      return null;
    }
    SetAside aside = setAside.get(log);
    if (aside != null && clock.millis() < aside.untilMs()) {
      return null;
    }
    try {
      CleaningNeed need = cleaner.need(log);
      if (!need.rollDue()) {
        return need;
      }
      boolean rolled =
          WriterTasks.await(
              "roll",
              partition.execute(
                  writer -> {
                    writer.roll();
                    return true;
                  }));
      return rolled ? cleaner.need(log) : need;
    } catch (StorageException e) {
      setAside(partition, 0, e);
      return null;
    }
  }

  private boolean clean(Candidate chosen, BooleanSupplier stop) {
    Partition partition = chosen.partition();
    try {
      CleaningResult result = cleaner.clean(partition.log(), partition::execute, stop);
      if (setAside.remove(partition.log()) != null) {
        LOG.info("{} is compacted again", partition);
      }
      if (result instanceof CleaningResult.Cleaned cleaned) {
        note(partition, cleaned);
        return true;
      }
      LOG.debug("compaction of {} ended early: {}", partition, result);
      return false;
    } catch (StorageException | RuntimeException e) {
      if (partition.isClosed()) {
        LOG.debug("compaction of {} ended with its log", partition, e);
      } else {
        setAside(partition, chosen.need().dirtyBytes(), e);
      }
      return true;
    }
  }

  private void note(Partition partition, CleaningResult.Cleaned cleaned) {
    synchronized (inProgress) {
      status = status.cleaned(cleaned);
    }
    LOG.info(
        "{} is compacted from offset {} to {}: {} of {} records stay, {} bytes became {}, {} keys,"
            + " {} ms",
        partition,
        cleaned.firstDirtyOffset(),
        cleaned.endOffset(),
        cleaned.recordsKept(),
        cleaned.recordsRead(),
        cleaned.sizeBefore(),
        cleaned.sizeAfter(),
        cleaned.keys(),
        cleaned.totalMs());
  }

  private void setAside(Partition partition, long bytes, Exception cause) {
    boolean retry =
        cause instanceof StorageException
            && !(cause instanceof CorruptSegmentException)
            && !(cause instanceof CorruptBatchException);
    long untilMs = retry ? clock.millis() + RETRY_MS : Long.MAX_VALUE;
    SetAside before = setAside.put(partition.log(), new SetAside(untilMs, bytes));
    if (before == null) {
      LOG.error(
          "{} can't be compacted and is left alone {}; other logs go on: {}",
          partition,
          retry ? "for " + RETRY_MS + " ms" : "until the next start",
          cause.getMessage(),
          cause);
    }
  }

  private void forgetLogsThatAreGone(Collection<Partition> held) {
    if (!setAside.isEmpty()) {
      setAside.keySet().retainAll(held.stream().map(Partition::log).toList());
    }
  }

  /** The logs that are set aside; a copy. */
  public List<PartitionLog> uncleanable() {
    return List.copyOf(setAside.keySet());
  }

  /** Size of what waits for compaction in a log that is set aside, in bytes; else 0. */
  public long uncleanableBytes(PartitionLog log) {
    SetAside aside = setAside.get(log);
    return aside == null ? 0 : aside.bytes();
  }

  /** What is known of the runs so far. */
  public CleaningStatus status() {
    return status;
  }
}
