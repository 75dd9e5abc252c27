package io.weirmq.testkit.storage.crash;

/**
 * A batch as it was appended.
 *
 * @param bytes as stored
 * @param timestamps one per record
 * @param maxTimestampMs in the header
 * @param producerId -1 for none
 * @param lastSequence of a marker -1
 * @param marker whether it ends a transaction
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ModelBatch(
    long baseOffset,
    byte[] bytes,
    long[] timestamps,
    long maxTimestampMs,
    int leaderEpoch,
    long producerId,
    short producerEpoch,
    int lastSequence,
    boolean transactional,
    boolean marker,
    boolean commit,
    int coordinatorEpoch) {

  long nextOffset() {
    return baseOffset + timestamps.length;
  }

  long lastOffset() {
    return nextOffset() - 1;
  }
}
