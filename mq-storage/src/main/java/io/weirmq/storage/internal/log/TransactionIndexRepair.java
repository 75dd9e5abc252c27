package io.weirmq.storage.internal.log;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.checkpoint.StateReading;
import io.weirmq.storage.internal.producer.CompletedTransaction;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.producer.ProducerSnapshotFile;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentFileKind;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.internal.segment.SegmentReading;
import io.weirmq.storage.internal.segment.SegmentTransactions;
import io.weirmq.storage.internal.segment.TransactionIndexRecord;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at transaction indexes before they are used, and makes those anew from the batches that are
 * missing or damaged. A start knows their names and what was remembered of them, see {@link
 * io.weirmq.storage.internal.segment.TransactionIndexRecordFile}; only the active segment's is
 * looked at then, so that its writer never meets a damaged one. Those of sealed segments are looked
 * at when a reader first asks for them.
 *
 * <p>Safe for use by several threads: one looks at a time, the others wait. No writer does, but one
 * that cuts its log.
 */
public final class TransactionIndexRepair {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionIndexRepair.class);

  private final LogIdentity identity;

  public TransactionIndexRepair(LogIdentity identity) {
    this.identity = identity;
  }

  /**
   * Makes sure that a segment's transaction index is right; afterwards {@link
   * SegmentTransactions#exists()} is.
   *
   * @param segments of the log
   * @param index of the segment among them
   * @throws StorageException where the files can't be read or written, or the segment was removed
   */
  public void ensureSound(SegmentList segments, int index) throws StorageException {
    Segment segment = segments.get(index);
    if (segment.transactions().isChecked()) {
      return;
    }
    synchronized (this) {
      if (!segment.transactions().isChecked()) {
        check(segments, index);
      }
    }
  }

  private void check(SegmentList segments, int index) throws StorageException {
    Segment segment = segments.get(index);
    @Nullable TransactionIndexRecord recorded = segment.transactions().record();
    boolean sound =
        segment
            .transactions()
            .index()
            .isSound(recorded, segment.baseOffset(), segments.nextBaseOffset(index));
    if (sound) {
      segment.transactions().markSound();
      return;
    }
    List<AbortedTransaction> aborted = abortedIn(segments, index);
    LOG.info(
        "transaction index of {} is missing or damaged and made anew, with {} entries{}",
        segment,
        aborted.size(),
        recorded == null ? "" : " (%d were remembered)".formatted(recorded.entryCount()));
    segment.transactions().replace(aborted);
  }

  private List<AbortedTransaction> abortedIn(SegmentList segments, int index)
      throws StorageException {
    Segment segment = segments.get(index);
    ProducerStates producers = producersBefore(segments, index);
    List<AbortedTransaction> aborted = new ArrayList<>();
    if (segment.sizeBytes() == 0) {
      return aborted;
    }
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      boolean found = SegmentLookup.seek(holder, walker, segment.baseOffset(), segment.sizeBytes());
      while (found) {
        RecordBatch batch = walker.batch();
        if (batch.hasProducerId()) {
          Optional<CompletedTransaction> completed =
              producers.replay(batch.isControl() ? walker.readWhole() : batch);
          completed
              .filter(CompletedTransaction::aborted)
              .ifPresent(each -> aborted.add(entry(producers, each)));
        }
        found = walker.next();
      }
    }
    return aborted;
  }

  /** The producers before a segment: of the newest whole snapshot, and the batches behind it. */
  private ProducerStates producersBefore(SegmentList segments, int index) throws StorageException {
    ProducerStates producers = new ProducerStates(identity.partition());
    long to = segments.get(index).baseOffset();
    long from = segments.first().baseOffset();
    for (int i = index; i >= 0; i--) {
      StateReading<List<ProducerSnapshotEntry>> snapshot = snapshotAt(segments.get(i).baseOffset());
      if (snapshot.isWhole()) {
        producers.restore(snapshot.value());
        from = segments.get(i).baseOffset();
        break;
      }
    }
    new ProducerReplay(producers).replay(segments, from, to);
    return producers;
  }

  private StateReading<List<ProducerSnapshotEntry>> snapshotAt(long offset)
      throws StorageException {
    return new ProducerSnapshotFile(
            identity.environment().files(), SegmentFileKind.SNAPSHOT.in(identity.folder(), offset))
        .read();
  }

  /** The entry of a transaction's marker, as the writer made it. */
  public static AbortedTransaction entry(ProducerStates producers, CompletedTransaction completed) {
    return new AbortedTransaction(
        completed.producerId(),
        completed.firstOffset(),
        completed.lastOffset(),
        Math.min(producers.lastStableOffsetBehind(completed), completed.lastOffset() + 1));
  }
}
