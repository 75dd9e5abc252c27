package io.weirmq.storage.internal.compact;

import io.weirmq.storage.AbortedTransaction;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Tells, while a run goes forwards over a log, which batches belong to aborted transactions, and
 * which markers have no data left. Confined to one thread.
 *
 * <p>All batches up to the last stable offset are decided, so the transaction indexes know every
 * aborted transaction that has records there.
 */
final class TransactionStates {

  private final PriorityQueue<AbortedTransaction> coming =
      new PriorityQueue<>(Comparator.comparingLong(AbortedTransaction::firstOffset));

  /** By producer: an aborted transaction that has begun and whose marker is still to come. */
  private final Map<Long, Aborted> aborted = new HashMap<>();

  /** Producers with data of a transaction whose commit marker is still to come. */
  private final Set<Long> committed = new HashSet<>();

  private static final class Aborted {
    private final AbortedTransaction transaction;
    private boolean hasData;

    Aborted(AbortedTransaction transaction) {
      this.transaction = transaction;
    }
  }

  /** Adds the aborted transactions with records in the range that comes next. */
  void enter(List<AbortedTransaction> transactions) {
    coming.addAll(transactions);
  }

  /** Whether the records of a batch, which is no control batch, were aborted. */
  boolean isAborted(RecordBatch batch) {
    beginUpTo(batch.lastOffset());
    if (!batch.isTransactional()) {
      return false;
    }
    Aborted transaction = aborted.get(batch.producerId());
    if (transaction == null) {
      committed.add(batch.producerId());
      return false;
    }
    transaction.hasData = true;
    return true;
  }

  /**
   * Takes a control batch into account.
   *
   * @param batch whole
   * @throws CorruptBatchException where its record breaks the format
   */
  Marker onControl(RecordBatch batch) throws CorruptBatchException {
    beginUpTo(batch.lastOffset());
    if (batch.recordCount() == 0) {
      return Marker.OF_NOTHING;
    }
    Optional<EndTransactionMarker> marker = EndTransactionMarker.read(batch);
    if (marker.isEmpty()) {
      return Marker.NONE;
    }
    if (marker.get().commit()) {
      return committed.remove(batch.producerId()) ? Marker.NONE : Marker.OF_NOTHING;
    }
    Aborted ended = aborted.remove(batch.producerId());
    return ended != null && ended.hasData
        ? new Marker(false, Optional.of(ended.transaction))
        : Marker.OF_NOTHING;
  }

  private void beginUpTo(long offset) {
    AbortedTransaction next = coming.peek();
    while (next != null && next.firstOffset() <= offset) {
      coming.remove();
      aborted.putIfAbsent(next.producerId(), new Aborted(next));
      next = coming.peek();
    }
  }

  /**
   * What a control batch means. Immutable.
   *
   * @param ofNothing whether it ends a transaction of which the log has no data any more
   * @param aborted the transaction that readers must go on to know as aborted, for some of them may
   *     hold data of it that this run removes
   */
  record Marker(boolean ofNothing, Optional<AbortedTransaction> aborted) {

    private static final Marker NONE = new Marker(false, Optional.empty());
    private static final Marker OF_NOTHING = new Marker(true, Optional.empty());
  }
}
