package io.weirmq.client.ipc;

import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.storage.record.CorruptBatchException;
import io.weirmq.storage.record.EndTransactionMarker;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Knows which batches belong to aborted transactions, by the rule of Kafka's consumers: a
 * transaction is aborted from its first offset to its abort marker. Confined to one thread.
 */
final class AbortedRecords {

  private final ArrayDeque<DirectReadResponse.AbortedTransaction> ahead = new ArrayDeque<>();
  private final Set<Long> producers = new HashSet<>();

  /** Takes the transactions that overlap what is read from now on. */
  void begin(List<DirectReadResponse.AbortedTransaction> transactions) {
    producers.clear();
    ahead.clear();
    transactions.stream()
        .sorted(Comparator.comparingLong(DirectReadResponse.AbortedTransaction::firstOffset))
        .forEach(ahead::add);
  }

  /** Whether the records of the next batch are to be left out. */
  boolean covers(RecordBatch batch) throws CorruptBatchException {
    if (!batch.isTransactional()) {
      return false;
    }
    long lastOffset = batch.lastOffset();
    for (DirectReadResponse.AbortedTransaction next = ahead.peek();
        next != null && next.firstOffset() <= lastOffset;
        next = ahead.peek()) {
      producers.add(ahead.remove().producerId());
    }
    if (batch.isControl()) {
      Optional<EndTransactionMarker> marker = EndTransactionMarker.read(batch);
      if (marker.isPresent() && !marker.get().commit()) {
        producers.remove(batch.producerId());
      }
      return true;
    }
    return producers.contains(batch.producerId());
  }
}
