package io.weirmq.testkit.storage;

/** The bytes of a disk. Names cost nothing. Confined to one thread at a time. */
final class Space {

  private long capacityBytes = Long.MAX_VALUE;
  private long usedBytes;

  void capacity(long bytes) {
    capacityBytes = bytes;
  }

  long capacityBytes() {
    return capacityBytes;
  }

  long usedBytes() {
    return usedBytes;
  }

  void take(long bytes) {
    usedBytes += bytes;
  }

  /** How many of some bytes at a position fit behind a file's end. */
  int fitting(int length, int position, int count) {
    long free = Math.max(0, capacityBytes - usedBytes);
    long growth = Math.max(0L, (long) position + count - length);
    return growth <= free ? count : (int) Math.max(0, length + free - position);
  }
}
