package io.weirmq.storage.internal.recovery;

import io.weirmq.storage.LogConfig;

/**
 * What the data folder knows of a log before it is loaded. Immutable.
 *
 * @param config the log's configuration
 * @param cleanStop whether the last stop put everything on the disk
 * @param recoveryPoint offset below which all is on the disk, 0 where that isn't known
 * @param recoveryPointKnown whether it was read from a whole file: then nothing at or behind it was
 *     compacted, and a gap there is a loss
 * @param logStartOffset first offset that may be read, as checkpointed; 0 where it isn't
 * @param highWatermark as checkpointed; 0 where it isn't
 */
public record LoadOptions(
    LogConfig config,
    boolean cleanStop,
    long recoveryPoint,
    boolean recoveryPointKnown,
    long logStartOffset,
    long highWatermark) {}
