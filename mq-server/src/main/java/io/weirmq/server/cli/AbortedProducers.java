package io.weirmq.server.cli;

import io.weirmq.protocol.message.FetchResponse;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells which batches of a fetch response a reader of committed data shows: control batches never,
 * and transactional ones not between a listed first offset of their producer and its next marker.
 * Confined to one thread, for one response.
 */
final class AbortedProducers {

  private final ArrayDeque<FetchResponse.AbortedTransaction> upcoming;
  private final Set<Long> aborting = new HashSet<>();

  AbortedProducers(@Nullable List<FetchResponse.AbortedTransaction> aborted) {
    List<FetchResponse.AbortedTransaction> sorted =
        aborted == null ? new ArrayList<>() : new ArrayList<>(aborted);
    sorted.sort(Comparator.comparingLong(FetchResponse.AbortedTransaction::firstOffset));
    upcoming = new ArrayDeque<>(sorted);
  }

  /** Whether a batch is shown; to be asked for each batch once, in offset order. */
  boolean isVisible(RecordBatch batch) {
    while (!upcoming.isEmpty() && upcoming.peek().firstOffset() <= batch.lastOffset()) {
      aborting.add(upcoming.remove().producerId());
    }
    if (batch.isControl()) {
      aborting.remove(batch.producerId());
      return false;
    }
    return !(batch.isTransactional() && aborting.contains(batch.producerId()));
  }
}
