package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.internal.validate.BatchValidator;
import java.time.InstantSource;

/**
 * What all channels of a pipeline share. Immutable; the parts are safe for use by several threads.
 *
 * @param ring takes the appends and tasks
 * @param state whether the pipeline takes anything
 * @param validator runs on the callers' threads
 * @param clock wall clock, for timestamps of records
 * @param detachments channels on their way out
 * @param ringWaiters those who wait for room in the ring
 * @param flushThreads wait for the disk
 * @param parkedMax appends of one log that may wait for the disk, 1 or more
 */
record ChannelEnvironment(
    AppendRing ring,
    PipelineState state,
    BatchValidator validator,
    InstantSource clock,
    Detachments detachments,
    WritableWaiters ringWaiters,
    FlushThreads flushThreads,
    int parkedMax) {}
