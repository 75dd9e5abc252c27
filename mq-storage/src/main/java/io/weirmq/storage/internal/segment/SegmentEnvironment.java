package io.weirmq.storage.internal.segment;

import io.weirmq.storage.io.LogFileSystem;

/**
 * What all segments of a data folder share. Immutable; the parts are safe for use by several
 * threads.
 *
 * @param files the file system
 * @param openSegments the bounded set of open segments
 * @param walkers pool of walkers
 * @param checkpointBytes bytes from one segment checkpoint to the next
 */
public record SegmentEnvironment(
    LogFileSystem files, OpenSegments openSegments, BatchWalkers walkers, int checkpointBytes) {}
