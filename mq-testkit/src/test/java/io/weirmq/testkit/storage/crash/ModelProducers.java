package io.weirmq.testkit.storage.crash;

import io.weirmq.storage.ProducerSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Producers and transactions, replayed from batches the plain way. */
final class ModelProducers {

  /** An aborted transaction. */
  record Aborted(long producerId, long firstOffset, long markerOffset) {}

  private final Map<Long, ProducerSummary> producers = new TreeMap<>();
  private final List<Aborted> aborted = new ArrayList<>();

  static ModelProducers of(List<ModelBatch> batches) {
    ModelProducers replayed = new ModelProducers();
    batches.forEach(replayed::replay);
    return replayed;
  }

  private void replay(ModelBatch batch) {
    if (batch.producerId() < 0) {
      return;
    }
    ProducerSummary before =
        producers.getOrDefault(
            batch.producerId(),
            new ProducerSummary(batch.producerId(), batch.producerEpoch(), -1, -1, -1, -1));
    boolean sameEpoch = before.producerEpoch() == batch.producerEpoch();
    long open = before.currentTransactionFirstOffset();
    if (batch.marker()) {
      if (open >= 0 && !batch.commit()) {
        aborted.add(new Aborted(batch.producerId(), open, batch.baseOffset()));
      }
      open = -1;
    } else if (batch.transactional() && open < 0) {
      open = batch.baseOffset();
    }
    producers.put(
        batch.producerId(),
        new ProducerSummary(
            batch.producerId(),
            batch.producerEpoch(),
            batch.marker() ? (sameEpoch ? before.lastSequence() : -1) : batch.lastSequence(),
            batch.maxTimestampMs(),
            batch.marker() ? batch.coordinatorEpoch() : before.coordinatorEpoch(),
            open));
  }

  Map<Long, ProducerSummary> producers() {
    return producers;
  }

  List<Aborted> aborted() {
    return aborted;
  }

  /** First offset of the earliest open transaction, or the largest long. */
  long firstOpen() {
    return producers.values().stream()
        .mapToLong(ProducerSummary::currentTransactionFirstOffset)
        .filter(offset -> offset >= 0)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
