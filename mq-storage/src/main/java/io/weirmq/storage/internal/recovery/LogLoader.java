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
import io.weirmq.storage.internal.log.ProducerReplay;
import io.weirmq.storage.internal.log.SegmentCheckpoint;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.log.Snapshots;
import io.weirmq.storage.internal.log.TransactionIndexRepair;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.BatchWalker;
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
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the log of a partition's folder, and recovers it where the last stop was not clean.
 * Confined to one thread.
 */
public final class LogLoader {

  private static final Logger LOG = LoggerFactory.getLogger(LogLoader.class);

  private final LogIdentity identity;
  private final SegmentEnvironment environment;
  private final Path folder;
  private final LoadOptions options;
  private final ProducerStates producers;
  private final ForceFailedFile forceFailedFile;
  private boolean hasFailedForce;

  /** As the data folder knows it, or a checkpoint inside a segment that is above it. */
  private long recoveryPoint;

  private long recoveredFrom = LoadedLog.NOT_RECOVERED;

  private LogLoader(LogIdentity identity, LoadOptions options) {
    this.identity = identity;
    this.environment = identity.environment();
    this.folder = identity.folder();
    this.options = options;
    this.recoveryPoint = options.recoveryPoint();
    this.producers = new ProducerStates(identity.partition());
    this.forceFailedFile = new ForceFailedFile(environment.files(), folder);
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
    hasFailedForce = contents.hasFailedForce();
    Snapshots snapshots =
        new Snapshots(environment.files(), folder, contents.offsets(SegmentFileKind.SNAPSHOT));
    LeaderEpochs epochs =
        LeaderEpochs.open(environment.files(), folder, contents.hasLeaderEpochs());
    epochs.damages().forEach(damage -> LOG.warn("leader epochs are made anew: {}", damage));
    SegmentList segments = segments(contents);
    @Nullable CheckpointedStart checkpointed =
        options.cleanStop() ? null : CheckpointedStart.read(identity, options, contents);

    long end = segments.last().baseOffset();
    boolean whole = false;
    if (checkpointed != null
        && !checkpointed.isAboveRecoveryPoint()
        && isTailEmpty(segments.last(), snapshots)) {
      whole = true;
      end = options.recoveryPoint();
    } else if (options.cleanStop()) {
      try {
        whole = true;
        end = endAfterCleanStop(segments.last(), snapshots);
      } catch (CorruptSegmentException e) {
        LOG.warn("{} is recovered in spite of a clean stop: {}", this, e.getMessage());
        whole = false;
      }
    }
    if (whole) {
      replayProducers(segments, snapshots, end);
      rebuildEpochsWhereLost(segments, epochs);
      // The writer adds to it; the others are looked at when somebody asks.
      new TransactionIndexRepair(identity).ensureSound(segments, segments.size() - 1);
    } else {
      SegmentRecoveries recovered =
          recoverOrNote(
              segments,
              snapshots,
              epochs,
              checkpointed != null
                  ? checkpointed
                  : CheckpointedStart.read(identity, options, contents));
      segments = recovered.segments();
      end = recovered.endOffset();
    }
    // An epoch that begins at the end is one that has no records yet.
    epochs.recover(epochs.entries(), end + 1);
    LoadedLog loaded = result(segments, end, epochs, snapshots);
    if (hasFailedForce) {
      forceFailedFile.remove();
    }
    return loaded;
  }

  private record SegmentRecoveries(SegmentList segments, long endOffset) {}

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

  private void replayProducers(SegmentList segments, Snapshots snapshots, long end)
      throws StorageException {
    snapshots.removeAbove(end);
    long otherwise = segments.first().baseOffset();
    long from =
        options.cleanStop()
            ? snapshots.restoreBySize(producers, end, otherwise)
            : snapshots.restore(producers, end, otherwise);
    new ProducerReplay(producers).replay(segments, from, end);
  }

  private void rebuildEpochsWhereLost(SegmentList segments, LeaderEpochs epochs)
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

  /** Where recovery fails it may be a force that has failed. */
  private SegmentRecoveries recoverOrNote(
      SegmentList segments,
      Snapshots snapshots,
      LeaderEpochs epochs,
      CheckpointedStart checkpointed)
      throws StorageException {
    try {
      Optional<SegmentCheckpoint> begin = checkpointed.find(segments, epochs, hasFailedForce);
      return recover(segments, snapshots, epochs, begin.orElse(null));
    } catch (StorageException e) {
      forceFailedFile.note(e);
      throw e;
    }
  }

  private SegmentRecoveries recover(
      SegmentList segments,
      Snapshots snapshots,
      LeaderEpochs epochs,
      @Nullable SegmentCheckpoint begin)
      throws StorageException {
    int first =
        segments.floorIndex(Math.max(0, begin == null ? recoveryPoint : begin.baseOffset()));
    Segment firstSegment = segments.get(first);
    recoveredFrom = begin == null ? firstSegment.baseOffset() : begin.offset();
    recoveryPoint = Math.max(recoveryPoint, begin == null ? 0 : begin.offset());
    LOG.debug("{} is recovered from {}", identity.partition(), firstSegment);
    if (hasFailedForce) {
      LOG.warn(
          "{} is written again behind offset {}: a force of it had failed ({})",
          this,
          recoveryPoint,
          forceFailedFile);
    }
    if (begin == null) {
      replayProducers(segments, snapshots, firstSegment.baseOffset());
    } else {
      snapshots.removeAbove(firstSegment.baseOffset());
      producers.restore(begin.producers());
    }
    List<EpochStart> found =
        new ArrayList<>(
            begin == null
                ? epochsBelow(segments, first, epochs)
                : epochsBelow(begin.offset(), epochs));
    BatchWalker walker = environment.walkers().take();
    try {
      for (int i = first; ; i++) {
        SegmentRecovery recovery =
            new SegmentRecovery(segments.get(i), producers, found, recoveryPoint);
        if (i == first && begin != null) {
          recovery.beginBehind(begin);
        }
        int tornBytes = recovery.scan(walker);
        if (tornBytes > 0 || hasLostSegmentEnd(segments, i, recovery.nextOffset())) {
          segments = setAsideBehind(segments, i);
        }
        recovery.cut();
        if (hasFailedForce) {
          recovery.writeAgain();
        }
        if (recovery.nextOffset() <= recoveryPoint) {
          // The next roll may begin at the recovery point, and nobody looks here any more then.
          segments.get(i).transactions().index().force();
          forceNames();
        }
        if (i == segments.size() - 1) {
          epochs.recover(found, Long.MAX_VALUE);
          return new SegmentRecoveries(segments, recovery.nextOffset());
        }
        writeSnapshot(snapshots, segments.get(i + 1).baseOffset());
      }
    } finally {
      environment.walkers().giveBack(walker);
    }
  }

  /**
   * Whether a segment ends before the next one begins because a power cut took its last batches.
   * Segments follow each other without a gap, but where compaction has taken the last batches away,
   * and that raises the recovery point first.
   */
  private boolean hasLostSegmentEnd(SegmentList segments, int index, long endOffset) {
    long nextBase = segments.nextBaseOffset(index);
    boolean gap = index + 1 < segments.size() && endOffset < nextBase;
    if (gap && nextBase > recoveryPoint && !options.recoveryPointKnown()) {
      LOG.warn(
          "{} ends at offset {}, the next segment begins at {}: taken for compacted, as the recovery"
              + " point of {} is not known",
          segments.get(index),
          endOffset,
          nextBase,
          this);
      return false;
    }
    return gap && nextBase > recoveryPoint;
  }

  /** On a full disk the log opens without; a later start replays more. */
  private void writeSnapshot(Snapshots snapshots, long offset) {
    try {
      snapshots.write(producers, offset);
    } catch (StorageException e) {
      LOG.warn("{} goes without a snapshot of its producers: {}", this, e.getMessage());
    }
  }

  /** The epochs that began before the recovered segments. */
  private List<EpochStart> epochsBelow(SegmentList segments, int first, LeaderEpochs epochs)
      throws StorageException {
    long baseOffset = segments.get(first).baseOffset();
    if (epochs.damages().isEmpty() && !epochs.entries().isEmpty()) {
      return epochsBelow(baseOffset, epochs);
    }
    List<EpochStart> below = new ArrayList<>();
    for (int i = 0; i < first; i++) {
      EpochScan.addEpochs(segments.get(i), below);
    }
    return below;
  }

  private static List<EpochStart> epochsBelow(long offset, LeaderEpochs epochs) {
    return epochs.entries().stream().filter(entry -> entry.startOffset() < offset).toList();
  }

  /**
   * A segment in the middle of the unflushed part is damaged: what follows can't be kept. It goes
   * from the end, and durably before the segment itself is cut: a power cut in between leaves
   * segments that follow each other, and nothing comes back later behind new batches.
   */
  private SegmentList setAsideBehind(SegmentList segments, int index) throws StorageException {
    if (index == segments.size() - 1) {
      return segments;
    }
    SegmentList kept = segments.upTo(index + 1);
    for (int i = segments.size() - 1; i > index; i--) {
      LOG.error(
          "{} lies behind the damaged end of {} and is set aside; it was never put on the disk",
          segments.get(i),
          kept.last());
      setAside(segments.get(i));
    }
    forceNames();
    kept.last().activate();
    return kept;
  }

  private void setAside(Segment segment) throws StorageException {
    for (Path file : segment.markDeleted()) {
      identity.owner().removeLater(file, options.config().fileDeleteDelayMs());
    }
  }

  private void forceNames() throws StorageException {
    try {
      environment.files().forceDirectory(folder);
    } catch (IOException e) {
      throw new StorageException(
          "names in %s can't be forced to the disk: %s".formatted(folder, e), e);
    }
  }

  private LoadedLog result(SegmentList segments, long end, LeaderEpochs epochs, Snapshots snapshots)
      throws StorageException {
    long start = Math.max(options.logStartOffset(), segments.first().baseOffset());
    SegmentList kept = segments;
    if (start > end) {
      LOG.warn(
          "{} ends at offset {}, below its start {}; it begins anew there",
          identity.partition(),
          end,
          start);
      for (Segment segment : segments.asList()) {
        setAside(segment);
      }
      forceNames();
      producers.clear();
      kept = SegmentList.of(List.of(emptySegment(start)));
    }
    long logEnd = Math.max(start, end);
    snapshots.removeStrays(kept);
    return new LoadedLog(
        kept.asList(),
        start,
        logEnd,
        Math.min(Math.max(0, recoveryPoint), logEnd),
        options.highWatermark(),
        recoveredFrom,
        epochs,
        producers,
        snapshots);
  }

  @Override
  public String toString() {
    return identity.partition().toString();
  }
}
