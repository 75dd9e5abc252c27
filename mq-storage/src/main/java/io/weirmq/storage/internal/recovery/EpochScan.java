package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import io.weirmq.storage.internal.segment.SegmentReading;
import java.util.List;

/** Finds leader epochs in batch headers. Stateless. */
final class EpochScan {

  private EpochScan() {}

  /**
   * Adds the epochs that begin in a segment.
   *
   * @param epochs rising; the last one goes on into the segment
   */
  static void addEpochs(Segment segment, List<EpochStart> epochs) throws StorageException {
    try (SegmentReading reading = SegmentReading.of(segment)) {
      OpenSegment holder = reading.holder();
      BatchWalker walker = reading.walker();
      walker.begin(holder, 0, segment.sizeBytes());
      while (walker.next()) {
        int epoch = walker.batch().partitionLeaderEpoch();
        if (epoch >= 0 && (epochs.isEmpty() || epochs.get(epochs.size() - 1).epoch() < epoch)) {
          epochs.add(new EpochStart(epoch, walker.batch().baseOffset()));
        }
      }
    }
  }
}
