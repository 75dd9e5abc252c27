package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.segment.BatchWalker;
import io.weirmq.storage.internal.segment.BatchWalkers;
import io.weirmq.storage.internal.segment.OpenSegment;
import io.weirmq.storage.internal.segment.Segment;
import java.util.List;

/** Finds leader epochs in batch headers. Confined to one thread. */
final class EpochScan {

  private final BatchWalkers walkers;

  EpochScan(BatchWalkers walkers) {
    this.walkers = walkers;
  }

  /**
   * Adds the epochs that begin in a segment.
   *
   * @param epochs rising; the last one goes on into the segment
   */
  void addEpochs(Segment segment, List<EpochStart> epochs) throws StorageException {
    OpenSegment holder = segment.retain();
    BatchWalker walker = walkers.take();
    try {
      walker.begin(holder, 0, segment.sizeBytes());
      while (walker.next()) {
        int epoch = walker.batch().partitionLeaderEpoch();
        if (epoch >= 0 && (epochs.isEmpty() || epochs.get(epochs.size() - 1).epoch() < epoch)) {
          epochs.add(new EpochStart(epoch, walker.batch().baseOffset()));
        }
      }
    } finally {
      walkers.giveBack(walker);
      holder.release();
    }
  }
}
