package io.weirmq.storage.internal.compact;

import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.record.RecordBatch;
import io.weirmq.storage.record.RecordView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules by which records and batch headers stay. Immutable, but for the map.
 *
 * <p>A tombstone stays until the delete horizon of its batch, which is set when a run first meets
 * it below its end: by then all older records of its key are gone, or go with it.
 */
final class RecordFilter {

  private final OffsetMap offsets;
  private final long endOffset;
  private final long nowMs;
  private final Map<Long, ProducerSnapshotEntry> producers = new HashMap<>();

  /**
   * Makes the rules of a run.
   *
   * @param offsets the last offset of each key below the end
   * @param endOffset where the run ends; records at or above it stay
   * @param producers what the log remembers of them
   * @param nowMs wall clock of the run, milliseconds since the epoch
   */
  RecordFilter(
      OffsetMap offsets, long endOffset, List<ProducerSnapshotEntry> producers, long nowMs) {
    this.offsets = offsets;
    this.endOffset = endOffset;
    this.nowMs = nowMs;
    producers.forEach(producer -> this.producers.put(producer.producerId(), producer));
  }

  /** Whether the time is over that a batch was to stay after it was first looked at. */
  boolean isPastHorizon(RecordBatch batch) {
    return batch.hasDeleteHorizon() && batch.baseTimestamp() <= nowMs;
  }

  /** Whether a record of a batch that counts stays. */
  boolean stays(RecordView record, long offset, boolean pastHorizon) {
    if (offset >= endOffset) {
      return true;
    }
    if (!record.hasKey()) {
      // Written before the topic was compacted; there is no last record of no key.
      return false;
    }
    long last = offsets.get(record.buffer(), record.keyPosition(), record.keyLength());
    return offset >= last && (record.hasValue() || !pastHorizon);
  }

  /** Whether a record that stays is one whose batch has to get a delete horizon. */
  boolean isCountedTombstone(RecordView record, long offset) {
    return !record.hasValue() && offset < endOffset;
  }

  /**
   * Whether a batch's header stays also where no record does: where it is the last of the group, so
   * that segments follow each other without a gap, which a restart would take for one that a power
   * cut has made; and where it is the last of its producer, whose sequence a restart finds there.
   *
   * @param groupEnd offset at which the segment behind the group begins
   */
  boolean isHeaderNeeded(RecordBatch batch, long groupEnd) {
    return batch.nextOffset() == groupEnd || (batch.hasProducerId() && isLastOfProducer(batch));
  }

  private boolean isLastOfProducer(RecordBatch batch) {
    ProducerSnapshotEntry producer = producers.get(batch.producerId());
    if (producer == null) {
      return false;
    }
    return producer.lastOffset() >= 0
        ? producer.lastOffset() == batch.lastOffset()
        : batch.isControl() && producer.producerEpoch() == batch.producerEpoch();
  }
}
