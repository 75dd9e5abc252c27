package io.weirmq.storage;

import io.weirmq.storage.internal.compact.CompactionRun;
import io.weirmq.storage.internal.compact.RunEnvironment;
import io.weirmq.storage.internal.log.CleanableSection;
import io.weirmq.storage.internal.log.LogCompaction;
import io.weirmq.storage.internal.log.SegmentedLog;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Compacts logs: of each key the last record stays. It owns no thread; who does calls {@link #need}
 * to choose a log and {@link #clean} to compact it, one log at a time per thread.
 *
 * <pre>{@code
 * if (log.config().compact() && cleaner.need(log).isDue()) {
 *   CleaningResult result = cleaner.clean(log, appender::execute, stopping::get);
 * }
 * }</pre>
 *
 * <p>Reading and writing happen on the calling thread; the log's writer only exchanges segments.
 * Readers are never held up. All runs share one bound of bytes per second.
 *
 * <p>Safe for use by several threads, each with logs of its own.
 */
public final class LogCleaner {

  private final RunEnvironment environment;
  private final InstantSource wallClock;

  /**
   * Makes a cleaner.
   *
   * @param options what one run may use, and all together
   * @param wallClock by which records and tombstones age
   * @param nanoClock monotonic clock, nanoseconds
   * @param pause lets time pass where the bound of bytes per second is reached
   * @param random secrets of the hash of keys; from a source that clients can't guess
   */
  public LogCleaner(
      CleanerOptions options,
      InstantSource wallClock,
      LongSupplier nanoClock,
      CleanerPause pause,
      LongSupplier random) {
    this.wallClock = wallClock;
    this.environment = RunEnvironment.of(options, nanoClock, pause, random);
  }

  /**
   * Tells how much a log needs compaction, from the sizes of its segments; where a lag is
   * configured, from their first and last timestamps too.
   *
   * @throws StorageException where a segment can't be read
   */
  public CleaningNeed need(PartitionLog log) throws StorageException {
    LogCompaction compaction = compaction(log);
    CleanableSection section = compaction.section(wallClock.millis());
    return new CleaningNeed(
        section.cleanBytes(),
        section.dirtyBytes(),
        compaction.config().compaction().minDirtyRatio(),
        section.overdue(),
        section.rollDue());
  }

  /**
   * Compacts a log, whether that is due or not. Blocks for as long as it takes.
   *
   * @param log one with keys; nobody else compacts it meanwhile
   * @param writer of the log
   * @param stop looked at often; once it is true the run ends as interrupted
   * @throws CorruptSegmentException where a batch is damaged; the log is as it was
   * @throws StorageException where the disk refuses; the log reads as before, or as compacted
   */
  public CleaningResult clean(PartitionLog log, WriterExecutor writer, BooleanSupplier stop)
      throws StorageException {
    return new CompactionRun(environment, compaction(log), writer, stop, wallClock.millis()).run();
  }

  private static LogCompaction compaction(PartitionLog log) {
    if (log instanceof SegmentedLog segmented) {
      return segmented.compaction();
    }
    throw new IllegalArgumentException("%s is no log of a data folder".formatted(log));
  }

  /** Bytes read by all runs so far, those under way included. */
  public long bytesRead() {
    return environment.bytesRead().sum();
  }

  /** Bytes written by all runs so far, those under way included. */
  public long bytesWritten() {
    return environment.bytesWritten().sum();
  }
}
