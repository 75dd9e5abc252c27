package io.weirmq.storage.internal.log;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentLookup;
import io.weirmq.storage.internal.segment.SegmentReading;
import io.weirmq.storage.record.RecordBatch;

/** Brings producer states up to date from the batches of a log. Confined to the log's writer. */
public final class ProducerReplay {

  private final ProducerStates producers;

  public ProducerReplay(ProducerStates producers) {
    this.producers = producers;
  }

  /**
   * Replays a range.
   *
   * @param from offset that the producers are at
   * @param to offset that they are to be at
   * @throws StorageException where the log can't be read
   */
  public void replay(SegmentList segments, long from, long to) throws StorageException {
    if (from >= to) {
      return;
    }
    for (int i = segments.floorIndex(from); i < segments.size(); i++) {
      if (segments.get(i).baseOffset() >= to) {
        return;
      }
      replay(segments.get(i), from, to);
    }
  }

  private void replay(Segment segment, long from, long to) throws StorageException {
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      boolean found = SegmentLookup.seek(holder, walker, from, segment.sizeBytes());
      while (found && walker.batch().baseOffset() < to) {
        replay(walker);
        found = walker.next();
      }
    }
  }

  private void replay(BatchWalker walker) throws StorageException {
    RecordBatch batch = walker.batch();
    if (batch.hasProducerId()) {
      // Of a marker the record is needed too.
      producers.replay(batch.isControl() ? walker.readWhole() : batch);
    }
  }
}
