package io.weirmq.storage.internal.compact;

import io.weirmq.storage.CleanerOptions;
import io.weirmq.storage.CleaningResult;
import io.weirmq.storage.LogAppender;
import io.weirmq.storage.LogConfig;
import io.weirmq.storage.RejectedAppendException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.WriterExecutor;
import io.weirmq.storage.compress.Compressor;
import io.weirmq.storage.compress.Decompressor;
import io.weirmq.storage.internal.log.CleanableSection;
import io.weirmq.storage.internal.log.LogChangedException;
import io.weirmq.storage.internal.log.LogCompaction;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.RecordCursor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

/**
 * One run of compaction over one log: first pass, then each group of segments read, written, and
 * put in place before the next. Confined to the cleaner's thread; used once.
 *
 * <p>The groups go from the oldest to the newest, and each is in place durably before the next is:
 * so a tombstone never goes before the records that it deletes.
 */
public final class CompactionRun {

  /** Attempts of a task that finds the pipeline of the log full: ten seconds. */
  private static final int ATTEMPTS_MAX = 1_000;

  /** Of one that ends what was begun. */
  private static final int UNTIL_CLOSED = Integer.MAX_VALUE;

  private static final long ATTEMPT_PAUSE_NANOS = 10_000_000;

  private static final long NANOS_PER_MS = 1_000_000;

  private final RunEnvironment environment;
  private final LogCompaction log;
  private final WriterExecutor writer;
  private final RunBudget budget;
  private final long nowMs;
  private final LogConfig config;

  private final BatchReader reader;
  private final ByteBuffer writeBuffer;
  private final BatchRewriter rewriter;
  private final Decompressor decompressor;

  private int segmentsBefore;
  private int segmentsAfter;
  private long sizeBefore;
  private long sizeAfter;

  /**
   * Prepares a run.
   *
   * @param nowMs wall clock, milliseconds since the epoch
   */
  public CompactionRun(
      RunEnvironment environment,
      LogCompaction log,
      WriterExecutor writer,
      BooleanSupplier stop,
      long nowMs) {
    this.environment = environment;
    this.log = log;
    this.writer = writer;
    this.budget = new RunBudget(environment, stop);
    this.nowMs = nowMs;
    this.config = log.config();
    int half = environment.options().bufferBytes() / 2;
    this.reader = new BatchReader(half, budget);
    this.writeBuffer = ByteBuffer.allocate(half);
    this.rewriter = new BatchRewriter(new Compressor(environment.pool()));
    this.decompressor = new Decompressor(environment.pool(), Decompressor.LIMIT_BYTES_DEFAULT);
  }

  /**
   * Runs.
   *
   * @throws StorageException where the log can't be compacted
   */
  public CleaningResult run() throws StorageException {
    try {
      return compact();
    } catch (RunInterruptedException | LogChangedException e) {
      return new CleaningResult.Interrupted(String.valueOf(e.getMessage()));
    }
  }

  private CleaningResult compact() throws StorageException {
    CleanableSection section = log.section(nowMs);
    if (!section.isDirty()) {
      return new CleaningResult.NothingToDo();
    }
    ensureSettled(section);
    log.forceSection(section);
    long startNanos = environment.nanoClock().getAsLong();
    try (RecordCursor cursor = new RecordCursor(decompressor)) {
      OffsetMap map = newMap(section);
      long endOffset = buildMap(section, map, cursor);
      long mapNanos = environment.nanoClock().getAsLong();
      GroupRewrite rewrite = rewrite(section, map, endOffset, cursor);
      return new CleaningResult.Cleaned(
          section.firstDirtyOffset(),
          endOffset,
          endOffset < section.endOffset(),
          map.size(),
          map.sizeBytes(),
          reader.bufferBytes() + writeBuffer.capacity() + rewriter.heldBytes(),
          segmentsBefore,
          segmentsAfter,
          sizeBefore,
          sizeAfter,
          rewrite.recordsRead(),
          rewrite.recordsKept(),
          budget.bytesRead(),
          budget.bytesWritten(),
          (mapNanos - startNanos) / NANOS_PER_MS,
          (environment.nanoClock().getAsLong() - startNanos) / NANOS_PER_MS);
    }
  }

  private void ensureSettled(CleanableSection section) throws StorageException {
    for (Segment segment : section.segments().asList()) {
      if (segment.isUnsettled()) {
        throw new StorageException(
            "%s: a compaction that could not be ended is ended at the next start"
                .formatted(segment));
      }
    }
  }

  private OffsetMap newMap(CleanableSection section) {
    CleanerOptions options = environment.options();
    KeyHash hash = new KeyHash(environment.random().getAsLong(), environment.random().getAsLong());
    return new OffsetMap(
        hash,
        options.mapBytes(),
        options.mapLoadFactor(),
        section.endOffset() - section.firstDirtyOffset());
  }

  private long buildMap(CleanableSection section, OffsetMap map, RecordCursor cursor)
      throws StorageException {
    TransactionStates transactions = new TransactionStates();
    transactions.enter(log.abortedTransactions(section.firstDirtyOffset(), section.endOffset()));
    BatchWalkers walkers = log.identity().environment().walkers();
    return new MapBuilding(section, map, transactions, reader, cursor, walkers).run();
  }

  private GroupRewrite rewrite(
      CleanableSection section, OffsetMap map, long endOffset, RecordCursor cursor)
      throws StorageException {
    List<ProducerSnapshotEntry> producers = onWriter(held -> log.producers());
    TransactionStates transactions = new TransactionStates();
    GroupRewrite rewrite =
        new GroupRewrite(
            new RecordFilter(map, endOffset, producers, nowMs),
            transactions,
            reader,
            cursor,
            rewriter,
            nowMs + config.compaction().deleteRetentionMs());
    int count = section.segments().floorIndex(endOffset - 1) + 1;
    int cuts = section.cuts();
    for (List<Segment> group : SegmentGroups.of(section.segments(), count, config.segmentBytes())) {
      int last = section.segments().floorIndex(group.get(group.size() - 1).baseOffset());
      long groupEnd = section.segments().nextBaseOffset(last);
      transactions.enter(log.abortedTransactions(group.get(0).baseOffset(), groupEnd));
      cuts = rewrite(group, groupEnd, rewrite, cuts);
    }
    int lastCuts = cuts;
    if (!onWriter(held -> log.cleanedTo(endOffset, lastCuts))) {
      throw new RunInterruptedException("the log was cut");
    }
    log.recordCleaned();
    return rewrite;
  }

  /** Returns how often the log was cut or compacted afterwards. */
  private int rewrite(List<Segment> group, long groupEnd, GroupRewrite rewrite, int cuts)
      throws StorageException {
    GroupOutput output =
        new GroupOutput(log.identity(), config, group.get(0).baseOffset(), writeBuffer, budget);
    List<Segment> fresh = List.of();
    try {
      rewrite.run(group, groupEnd, output);
      fresh = output.finish();
      exchange(group, fresh, cuts);
    } catch (StorageException | RuntimeException e) {
      boolean inPlace = !fresh.isEmpty() && log.has(fresh.get(0));
      if (!inPlace) {
        output.discard(e);
      }
      throw e;
    }
    return settle(group, fresh);
  }

  private void exchange(List<Segment> group, List<Segment> fresh, int cuts)
      throws StorageException {
    onWriter(
        held -> {
          log.replace(group, fresh, cuts);
          return true;
        });
  }

  private int settle(List<Segment> group, List<Segment> fresh) throws StorageException {
    log.forceNames();
    int after = onWriter(held -> log.settle(fresh), UNTIL_CLOSED);
    log.forceNames();
    for (Segment segment : fresh) {
      segment.transactions().dropIfEmpty();
    }
    note(group, fresh);
    return after;
  }

  private void note(List<Segment> group, List<Segment> fresh) {
    segmentsBefore += group.size();
    segmentsAfter += fresh.size();
    for (Segment segment : group) {
      sizeBefore += segment.sizeBytes();
    }
    for (Segment segment : fresh) {
      sizeAfter += segment.sizeBytes();
    }
  }

  private <T> T onWriter(LogAppender.WriterTask<T> task) throws StorageException {
    return onWriter(task, ATTEMPTS_MAX);
  }

  private <T> T onWriter(LogAppender.WriterTask<T> task, int attemptsMax) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      try {
        return writer.execute(task).join();
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof RejectedAppendException rejected)) {
          throw failure(e);
        }
        if (!rejected.isFull() || attempt == attemptsMax) {
          throw new RunInterruptedException("the log takes no tasks: " + rejected.getMessage());
        }
        budget.pause(ATTEMPT_PAUSE_NANOS);
      }
    }
  }

  private StorageException failure(CompletionException e) {
    return e.getCause() instanceof StorageException known
        ? known
        : new StorageException(
            "%s: compaction failed on the log's writer: %s"
                .formatted(log.identity().partition(), e.getCause()),
            e);
  }
}
