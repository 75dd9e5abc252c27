package io.weirmq.storage.internal.producer;

import io.weirmq.storage.AppendOrigin;
import io.weirmq.storage.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Appends batches the way a log does: check, stage, commit; and keeps them for a replay. */
final class LogOfBatches {

  private final ProducerStates states;
  private final List<RecordBatch> batches = new ArrayList<>();

  private long nextOffset;

  LogOfBatches(ProducerStates states) {
    this.states = states;
  }

  SequenceCheck append(Batch batch) throws Exception {
    RecordBatch built = batch.offset(nextOffset).build();
    SequenceCheck check = states.check(built, AppendOrigin.CLIENT);
    if (check == SequenceCheck.Fits.INSTANCE) {
      write(built);
    }
    return check;
  }

  Optional<CompletedTransaction> marker(
      long producerId, int epoch, boolean commit, int coordinatorEpoch) throws Exception {
    return write(
        Batch.marker(producerId, epoch, commit, coordinatorEpoch).offset(nextOffset).build());
  }

  private Optional<CompletedTransaction> write(RecordBatch batch) throws Exception {
    Optional<CompletedTransaction> completed = states.stage(batch);
    states.commit();
    batches.add(batch);
    nextOffset = batch.nextOffset();
    return completed;
  }

  long nextOffset() {
    return nextOffset;
  }

  List<RecordBatch> batches() {
    return batches;
  }
}
