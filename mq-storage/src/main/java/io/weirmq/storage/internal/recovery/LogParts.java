package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.StorageException;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.log.LogIdentity;
import io.weirmq.storage.internal.log.ProducerReplay;
import io.weirmq.storage.internal.log.SegmentList;
import io.weirmq.storage.internal.log.Snapshots;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What belongs to a log that is being loaded, beside its segments. Confined to one thread.
 *
 * @param identity which log it is
 * @param options what is known of it
 * @param snapshots of its producers
 * @param epochs its leader epochs
 * @param producers its producers; empty at first
 */
record LogParts(
    LogIdentity identity,
    LoadOptions options,
    Snapshots snapshots,
    LeaderEpochs epochs,
    ProducerStates producers) {

  /** Brings the producers to an offset, from the newest snapshot that can be used. */
  void replayProducers(SegmentList segments, long end) throws StorageException {
    snapshots.removeAbove(end);
    long otherwise = segments.first().baseOffset();
    long from =
        options.cleanStop()
            ? snapshots.restoreBySize(producers, end, otherwise)
            : snapshots.restore(producers, end, otherwise);
    new ProducerReplay(producers).replay(segments, from, end);
  }

  /** Takes a segment's names away, and removes its files later. */
  void setAside(Segment segment) throws StorageException {
    for (Path file : segment.markDeleted()) {
      identity.owner().removeLater(file, options.config().fileDeleteDelayMs());
    }
  }

  /** Puts the names in the folder on the disk. */
  void forceNames() throws StorageException {
    Path folder = identity.folder();
    try {
      identity.environment().files().forceDirectory(folder);
    } catch (IOException e) {
      throw new StorageException(
          "names in %s can't be forced to the disk: %s".formatted(folder, e), e);
    }
  }
}
