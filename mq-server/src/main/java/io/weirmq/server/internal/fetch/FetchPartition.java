package io.weirmq.server.internal.fetch;

/**
 * What a client wants of a partition. Immutable.
 *
 * @param target the partition
 * @param fetchOffset first offset wanted
 * @param currentLeaderEpoch leader epoch that the client knows, -1 for no check
 * @param lastFetchedEpoch leader epoch of the last record that the client has, -1 for no check
 * @param maxBytes upper bound of the records' size in bytes
 */
record FetchPartition(
    FetchTarget target,
    long fetchOffset,
    int currentLeaderEpoch,
    int lastFetchedEpoch,
    int maxBytes) {}
