package io.weirmq.storage.internal.log;

import io.weirmq.storage.internal.epoch.EpochStart;
import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.producer.ProducerSnapshotEntry;
import io.weirmq.storage.internal.segment.IndexMark;
import java.util.List;

/**
 * All that recovery has to know to begin inside a segment: what lies below an offset is on the
 * disk, the log's batches as well as what is derived from them. Immutable.
 *
 * @param baseOffset of the segment
 * @param offset behind the last batch that it covers
 * @param position in the log file, behind that batch
 * @param lastBatchPosition where that batch starts
 * @param lastBatchCrc the checksum in its header
 * @param leaderEpoch the last leader epoch that began below the offset, -1 where none did
 * @param abortedCount entries of the segment's transaction index
 * @param abortedChecksum CRC-32C of them, 0 where there are none
 * @param indexes where the two other indexes end
 * @param producers the producers at the offset, in no particular order
 */
public record SegmentCheckpoint(
    long baseOffset,
    long offset,
    int position,
    int lastBatchPosition,
    int lastBatchCrc,
    int leaderEpoch,
    int abortedCount,
    int abortedChecksum,
    IndexMark indexes,
    List<ProducerSnapshotEntry> producers) {

  /** Copies the list. */
  public SegmentCheckpoint {
    producers = List.copyOf(producers);
  }

  /** The same with the checksum of the transaction index. */
  SegmentCheckpoint withAbortedChecksum(int checksum) {
    return new SegmentCheckpoint(
        baseOffset,
        offset,
        position,
        lastBatchPosition,
        lastBatchCrc,
        leaderEpoch,
        abortedCount,
        checksum,
        indexes,
        producers);
  }

  /** The last of some epochs, which rise, that began below an offset; -1 where none did. */
  public static int lastEpochBelow(List<EpochStart> epochs, long offset) {
    for (int i = epochs.size() - 1; i >= 0; i--) {
      if (epochs.get(i).startOffset() < offset) {
        return epochs.get(i).epoch();
      }
    }
    return LeaderEpochs.NO_EPOCH;
  }
}
