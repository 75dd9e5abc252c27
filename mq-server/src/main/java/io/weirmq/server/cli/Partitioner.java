package io.weirmq.server.cli;

import org.jspecify.annotations.Nullable;

/**
 * Chooses partitions by the rules of Kafka's clients: an explicit partition, else murmur2 of the
 * key, else one partition until a batch is full and then the next (sticky). Confined to one thread.
 */
final class Partitioner {

  private static final int SEED = 0x9747b28c;
  private static final int MIX = 0x5bd1e995;
  private static final int ROTATE = 24;

  private final int partitionCount;
  private int sticky;

  /**
   * Makes a partitioner.
   *
   * @param partitionCount number of the topic's partitions, 1 or more
   * @param firstPartition where keyless records go first
   */
  Partitioner(int partitionCount, int firstPartition) {
    this.partitionCount = partitionCount;
    this.sticky = Math.floorMod(firstPartition, partitionCount);
  }

  /** The partition of a record. */
  int partition(byte @Nullable [] key) {
    return key == null ? sticky : (murmur2(key) & 0x7fffffff) % partitionCount;
  }

  /** Moves keyless records to the next partition; called when a batch of them was sent. */
  void nextBatch() {
    sticky = (sticky + 1) % partitionCount;
  }

  /** The partition that keyless records go to now. */
  int sticky() {
    return sticky;
  }

  /** MurmurHash2 by Austin Appleby, 32 bits, with the seed that Kafka's clients use. */
  static int murmur2(byte[] data) {
    int hash = SEED ^ data.length;
    int words = data.length / 4;
    for (int i = 0; i < words; i++) {
      int at = i * 4;
      int word =
          (data[at] & 0xff)
              | (data[at + 1] & 0xff) << 8
              | (data[at + 2] & 0xff) << 16
              | (data[at + 3] & 0xff) << 24;
      word *= MIX;
      word ^= word >>> ROTATE;
      word *= MIX;
      hash *= MIX;
      hash ^= word;
    }
    int tail = words * 4;
    int left = data.length - tail;
    if (left > 0) {
      for (int i = left - 1; i >= 0; i--) {
        hash ^= (data[tail + i] & 0xff) << (8 * i);
      }
      hash *= MIX;
    }
    hash ^= hash >>> 13;
    hash *= MIX;
    hash ^= hash >>> 15;
    return hash;
  }
}
