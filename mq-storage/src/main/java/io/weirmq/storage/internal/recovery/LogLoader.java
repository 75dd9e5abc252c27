package io.weirmq.storage.internal.recovery;

import io.weirmq.index.TimeIndex;
import io.weirmq.storage.CorruptSegmentException;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.ForceFailedFile;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.log.LoadedLog;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.log.Snapshots;
import io.weirmq.storage.internal.log.TransactionIndexRepair;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.LargestTimestamp;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentEnvironment;
import io.weirmq.storage.internal.segment.SegmentFacts;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.internal.segment.TransactionIndexRecord;
import io.weirmq.storage.internal.segment.TransactionIndexRecordFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the log of a partition's folder, and has it recovered where the last stop was not clean.
 * Confined to one thread.
 */
public final class LogLoader {

  private static final Logger LOG = LoggerFactory.getLogger(LogLoader.class);

  private final LogIdentity identity;
  private final SegmentEnvironment environment;
  private final Path folder;
  private final LoadOptions options;

  private LogLoader(LogIdentity identity, LoadOptions options) {
    this.identity = identity;
    this.environment = identity.environment();
    this.folder = identity.folder();
    this.options = options;
  }

  /**
   * Loads a log; an empty folder becomes an empty log.
   *
   * @throws StorageException where the disk refuses
   */
  public static LoadedLog load(LogIdentity identity, LoadOptions options) throws StorageException {
    return new LogLoader(identity, options)
        .load(FolderTidying.tidy(identity.environment(), identity.folder()));
  }

  /**
   * Makes the empty log of a folder that was just made; the folder is not looked into.
   *
   * @throws StorageException where the disk refuses
   */
  public static LoadedLog begin(LogIdentity identity, LoadOptions options) throws StorageException {
    return new LogLoader(identity, options).load(FolderContents.none());
  }

  private LoadedLog load(FolderContents contents) throws StorageException {
    Snapshots snapshots =
        new Snapshots(environment.files(), folder, contents.offsets(SegmentFileKind.SNAPSHOT));
    LeaderEpochs epochs =
        LeaderEpochs.open(environment.files(), folder, contents.hasLeaderEpochs());
    epochs.damages().forEach(damage -> LOG.warn("leader epochs are made anew: {}", damage));
    LogParts parts =
        new LogParts(
            identity, options, snapshots, epochs, new ProducerStates(identity.partition()));
    SegmentList segments = segments(contents);
    @Nullable CheckpointedStart checkpointed =
        options.cleanStop() ? null : CheckpointedStart.read(identity, options, contents);
    ForceFailedFile forceFailedFile = new ForceFailedFile(environment.files(), folder);
    boolean hasFailedForce = contents.hasFailedForce();

    OptionalLong end = endWithoutRecovery(segments.last(), snapshots, checkpointed);
    LogRecovery.Result found;
    if (end.isPresent()) {
      found = withoutRecovery(parts, segments, end.getAsLong());
    } else {
      CheckpointedStart start =
          checkpointed != null ? checkpointed : CheckpointedStart.read(identity, options, contents);
      found = new LogRecovery(parts, forceFailedFile, hasFailedForce).run(segments, start);
    }
    // An epoch that begins at the end is one that has no records yet.
    epochs.recover(epochs.entries(), found.endOffset() + 1);
    LoadedLog loaded = loaded(parts, found);
    if (hasFailedForce) {
      forceFailedFile.remove();
    }
    return loaded;
  }

  private SegmentList segments(FolderContents contents) throws StorageException {
    List<Segment> segments = new ArrayList<>();
    Map<Long, TransactionIndexRecord> records = transactionIndexRecords(contents);
    Set<Long> indexed = contents.offsets(SegmentFileKind.TRANSACTION_INDEX);
    for (Long baseOffset : contents.offsets(SegmentFileKind.LOG)) {
      Segment segment = segment(baseOffset);
      segment.transactions().onFound(indexed.contains(baseOffset), records.get(baseOffset));
      segments.add(segment);
    }
    if (segments.isEmpty()) {
      return SegmentList.of(List.of(emptySegment(options.logStartOffset())));
    }
    segments.get(segments.size() - 1).activate();
    return SegmentList.of(segments);
  }

  private Map<Long, TransactionIndexRecord> transactionIndexRecords(FolderContents contents)
      throws StorageException {
    if (!contents.hasTransactionIndexRecords()) {
      return Map.of();
    }
    StateReading<List<TransactionIndexRecord>> reading =
        new TransactionIndexRecordFile(environment.files(), folder).read();
    reading
        .damages()
        .forEach(
            damage -> LOG.warn("what is remembered of transaction indexes is dropped: {}", damage));
    Map<Long, TransactionIndexRecord> records = new HashMap<>();
    reading.value().forEach(record -> records.put(record.baseOffset(), record));
    return records;
  }

  private Segment segment(long baseOffset) throws StorageException {
    Path file = SegmentFileKind.LOG.in(folder, baseOffset);
    try {
      long size = environment.files().size(file);
      if (size > Integer.MAX_VALUE) {
        throw new StorageException(
            "%s has %d bytes; a segment has %d at most".formatted(file, size, Integer.MAX_VALUE));
      }
      Segment segment =
          new Segment(
              environment, folder, baseOffset, (int) size, options.config().indexIntervalBytes());
      if (size == 0) {
        segment.largestTimestamp(new LargestTimestamp(TimeIndex.NO_TIMESTAMP, baseOffset));
      }
      return segment;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("size of %s can't be read: %s".formatted(file, e), e);
    }
  }

  private Segment emptySegment(long baseOffset) throws StorageException {
    if (baseOffset == 0) {
      // Nothing would be lost with the file: the first append makes it.
      return Segment.unmade(environment, folder, options.config().indexIntervalBytes());
    }
    // The file's name tells the offset. It is forced by the log's first flush.
    return Segment.create(environment, folder, baseOffset, options.config().indexIntervalBytes());
  }

  /**
   * The log end where no batches have to be read to know it; else empty.
   *
   * @param checkpointed null after a clean stop, when it is not needed
   */
  private OptionalLong endWithoutRecovery(
      Segment last, Snapshots snapshots, @Nullable CheckpointedStart checkpointed)
      throws StorageException {
    if (checkpointed != null) {
      return !checkpointed.isAboveRecoveryPoint() && isTailEmpty(last, snapshots)
          ? OptionalLong.of(options.recoveryPoint())
          : OptionalLong.empty();
    }
    try {
      return OptionalLong.of(endAfterCleanStop(last, snapshots));
    } catch (CorruptSegmentException e) {
      LOG.warn("{} is recovered in spite of a clean stop: {}", this, e.getMessage());
      return OptionalLong.empty();
    }
  }

  /**
   * Whether nothing lies behind the recovery point, and what is derived from the batches before it
   * is on the disk: a flush does not force that of the active segment, a stop does, and then writes
   * a snapshot at the log end. A few batches are looked at, those from the last index entry on.
   */
  private boolean isTailEmpty(Segment last, Snapshots snapshots) throws StorageException {
    long recoveryPoint = options.recoveryPoint();
    boolean empty = last.sizeBytes() == 0;
    boolean recorded =
        empty
            ? recoveryPoint == last.baseOffset()
            : snapshots.has(recoveryPoint) && snapshots.newest() == recoveryPoint;
    try {
      return recorded
          && (empty || SegmentFacts.endsAt(last, recoveryPoint))
          && last.transactions().index().endsBelow(recoveryPoint);
    } catch (CorruptSegmentException e) {
      LOG.debug("{} has more behind its recovery point {}", last, recoveryPoint, e);
      return false;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw new StorageException("%s can't be read: %s".formatted(last, e), e);
    }
  }

  /**
   * Two records of a clean stop that agree are believed without a look into the files: the recovery
   * point, and the snapshot of the producers that carries the log end in its name.
   */
  private long endAfterCleanStop(Segment last, Snapshots snapshots) throws StorageException {
    long recoveryPoint = options.recoveryPoint();
    boolean agreed =
        last.sizeBytes() > 0
            && recoveryPoint > last.baseOffset()
            && snapshots.has(recoveryPoint)
            && snapshots.newest() == recoveryPoint;
    return agreed ? recoveryPoint : SegmentFacts.nextOffset(last);
  }

  private LogRecovery.Result withoutRecovery(LogParts parts, SegmentList segments, long end)
      throws StorageException {
    parts.replayProducers(segments, end);
    rebuildEpochsWhereLost(segments, parts.epochs());
    // The writer adds to it; the others are looked at when somebody asks.
    new TransactionIndexRepair(identity).ensureSound(segments, segments.size() - 1);
    return new LogRecovery.Result(segments, end, options.recoveryPoint(), LoadedLog.NOT_RECOVERED);
  }

  private static void rebuildEpochsWhereLost(SegmentList segments, LeaderEpochs epochs)
      throws StorageException {
    boolean lost = !epochs.damages().isEmpty() || epochs.entries().isEmpty();
    if (lost && segments.sizeBytes() > 0) {
      List<EpochStart> found = new ArrayList<>();
      for (Segment segment : segments.asList()) {
        EpochScan.addEpochs(segment, found);
      }
      epochs.recover(found, Long.MAX_VALUE);
    }
  }

  private LoadedLog loaded(LogParts parts, LogRecovery.Result found) throws StorageException {
    SegmentList segments = found.segments();
    long end = found.endOffset();
    long start = Math.max(options.logStartOffset(), segments.first().baseOffset());
    if (start > end) {
      LOG.warn("{} ends at offset {}, below its start {}; it begins anew there", this, end, start);
      for (Segment segment : segments.asList()) {
        parts.setAside(segment);
      }
      parts.forceNames();
      parts.producers().clear();
      segments = SegmentList.of(List.of(emptySegment(start)));
    }
    long logEnd = Math.max(start, end);
    parts.snapshots().removeStrays(segments);
    return new LoadedLog(
        segments.asList(),
        start,
        logEnd,
        Math.min(Math.max(0, found.recoveryPoint()), logEnd),
        options.highWatermark(),
        found.recoveredFrom(),
        parts.epochs(),
        parts.producers(),
        parts.snapshots());
  }

  @Override
  public String toString() {
    return identity.partition().toString();
  }
}
