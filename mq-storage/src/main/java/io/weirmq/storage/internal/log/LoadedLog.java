package io.weirmq.storage.internal.log;

import io.weirmq.storage.internal.epoch.LeaderEpochs;
import io.weirmq.storage.internal.producer.ProducerStates;
import io.weirmq.storage.internal.segment.Segment;
import java.util.List;

/**
 * What was found in a partition's folder, or made there. Immutable, but for its parts.
 *
 * @param segments by base offset, the last one active; at least one
 * @param logStartOffset first offset that may be read
 * @param logEndOffset offset that the next record gets
 * @param recoveryPoint offset below which all is on the disk
 * @param highWatermark as checkpointed; cut to start and end by its reader
 * @param recoveredFrom offset from which on batches were checked, {@link #NOT_RECOVERED} where none
 *     had to be
 * @param epochs the leader epochs
 * @param producers the producers, up to the log end
 * @param snapshots the snapshot files of the producers
 */
public record LoadedLog(
    List<Segment> segments,
    long logStartOffset,
    long logEndOffset,
    long recoveryPoint,
    long highWatermark,
    long recoveredFrom,
    LeaderEpochs epochs,
    ProducerStates producers,
    Snapshots snapshots) {

  /** All of the log was believed as it was found. */
  public static final long NOT_RECOVERED = -1;
}
