package io.weirmq.storage.internal.producer;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * The transactions of a log that hold its last stable offset back: open ones, and those whose
 * marker lies at or above the high watermark.
 *
 * <p>Confined to one thread (the log's writer).
 */
final class UndecidedTransactions {

  private final TreeMap<Long, Long> producerByFirstOffset = new TreeMap<>();
  private final TreeMap<Long, Long> markerByFirstOffset = new TreeMap<>();
  // In the order of the markers, which is the order in which the high watermark passes them.
  private final Queue<CompletedTransaction> completed = new ArrayDeque<>(0);

  void open(ProducerState state) {
    if (state.hasOpenTransaction()) {
      producerByFirstOffset.put(state.transactionFirstOffset(), state.producerId());
    }
  }

  void close(ProducerState state) {
    if (state.hasOpenTransaction()) {
      producerByFirstOffset.remove(state.transactionFirstOffset());
    }
  }

  void complete(CompletedTransaction transaction) {
    markerByFirstOffset.put(transaction.firstOffset(), transaction.lastOffset());
    completed.add(transaction);
  }

  void replicatedBelow(long highWatermark) {
    CompletedTransaction next = completed.peek();
    while (next != null && next.lastOffset() < highWatermark) {
      completed.remove();
      markerByFirstOffset.remove(next.firstOffset());
      next = completed.peek();
    }
  }

  long firstUnstableOffset() {
    long open = first(producerByFirstOffset);
    long unreplicated = first(markerByFirstOffset);
    if (open == ProducerState.NONE || unreplicated == ProducerState.NONE) {
      return Math.max(open, unreplicated);
    }
    return Math.min(open, unreplicated);
  }

  /** The first offset of the earliest open transaction whose producer is not among some. */
  long firstOpenExcept(LongPredicate producerIds) {
    for (Map.Entry<Long, Long> entry : producerByFirstOffset.entrySet()) {
      if (!producerIds.test(entry.getValue())) {
        return entry.getKey();
      }
    }
    return ProducerState.NONE;
  }

  void clear() {
    producerByFirstOffset.clear();
    markerByFirstOffset.clear();
    completed.clear();
  }

  private static long first(TreeMap<Long, Long> offsets) {
    return offsets.isEmpty() ? ProducerState.NONE : offsets.firstKey();
  }
}
