package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.log.ProducerReplay;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.log.Snapshots;
import io.weirmq.storage.internal.producer.CompletedTransaction;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes transaction indexes anew that recovery does not come by: those of segments that were on the
 * disk. A file without an entry, or with a part of one, is damaged; the size tells, so that a start
 * after a clean stop opens none. Confined to one thread.
 */
final class TransactionIndexRepair {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionIndexRepair.class);

  private final LogIdentity identity;
  private final SegmentList segments;
  private final Snapshots snapshots;

  TransactionIndexRepair(LogIdentity identity, SegmentList segments, Snapshots snapshots) {
    this.identity = identity;
    this.segments = segments;
    this.snapshots = snapshots;
  }

  /**
   * Repairs the indexes of some segments.
   *
   * @param count how many, from the front
   * @throws StorageException where the disk refuses
   */
  void repairFirst(int count) throws StorageException {
    for (int i = 0; i < count; i++) {
      Segment segment = segments.get(i);
      if (segment.hasTransactionIndex() && !segment.transactionIndex().hasWholeSize()) {
        List<AbortedTransaction> aborted = abortedIn(segment);
        LOG.warn(
            "transaction index of {} has no whole number of entries; it is made anew, with {}",
            segment,
            aborted.size());
        segment.transactionIndex().replace(aborted);
        segment.hasTransactionIndex(!aborted.isEmpty());
      }
    }
  }

  private List<AbortedTransaction> abortedIn(Segment segment) throws StorageException {
    ProducerStates producers = new ProducerStates(identity.partition());
    long begin = segment.baseOffset();
    long from = snapshots.restore(producers, begin, segments.first().baseOffset());
    new ProducerReplay(producers, identity.environment().walkers()).replay(segments, from, begin);
    List<AbortedTransaction> aborted = new ArrayList<>();
    OpenSegment holder = segment.retain();
    BatchWalker walker = identity.environment().walkers().take();
    try {
      boolean found = segment.seek(holder, walker, begin, segment.sizeBytes());
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
    } finally {
      identity.environment().walkers().giveBack(walker);
      holder.release();
    }
    return aborted;
  }

  /** The entry of a transaction's marker, as the writer made it. */
  static AbortedTransaction entry(ProducerStates producers, CompletedTransaction completed) {
    return new AbortedTransaction(
        completed.producerId(),
        completed.firstOffset(),
        completed.lastOffset(),
        Math.min(producers.lastStableOffsetBehind(completed), completed.lastOffset() + 1));
  }
}
