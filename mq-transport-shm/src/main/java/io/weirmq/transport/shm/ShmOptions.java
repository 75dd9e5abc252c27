package io.weirmq.transport.shm;

import io.weirmq.transport.shm.internal.ring.RingMemory;

/**
 * What is special about this transport; limits that all transports share are in {@link
 * io.weirmq.transport.TransportOptions}. Immutable; start from {@link #defaults()}.
 *
 * <p>The connecting side asks for the sizes of both rings, the listening side grants what lies
 * within its bounds, rounded up to a power of two. The memory is taken in full when a connection is
 * made and counts as shared memory of the folder's file system.
 *
 * @param sendRingBytes ring that a connecting side asks for to send with, in bytes
 * @param receiveRingBytes ring that a connecting side asks for to receive with, in bytes
 * @param ringBytesMin smallest ring that is granted or accepted, a power of two, at least 4 KiB
 * @param ringBytesMax largest ring that is granted or accepted, a power of two, at most 512 MiB
 * @param waitStrategy how I/O threads wait
 */
public record ShmOptions(
    int sendRingBytes,
    int receiveRingBytes,
    int ringBytesMin,
    int ringBytesMax,
    WaitStrategy waitStrategy) {

  /** No ring is smaller: a page, in which records of about 500 bytes fit. */
  public static final int RING_BYTES_MIN = 4 * 1024;

  /** No ring is larger. */
  public static final int RING_BYTES_MAX = RingMemory.CAPACITY_MAX;

  /** Checks the bounds. */
  public ShmOptions {
    requirePowerOfTwo("ringBytesMin", ringBytesMin);
    requirePowerOfTwo("ringBytesMax", ringBytesMax);
    if (ringBytesMin > ringBytesMax) {
      throw new IllegalArgumentException(
          "ringBytesMin %d is above ringBytesMax %d".formatted(ringBytesMin, ringBytesMax));
    }
    requireWithin("sendRingBytes", sendRingBytes, ringBytesMin, ringBytesMax);
    requireWithin("receiveRingBytes", receiveRingBytes, ringBytesMin, ringBytesMax);
  }

  /** Returns the defaults: rings of 1 MiB, 64 KiB to 64 MiB on demand, adaptive waiting. */
  public static ShmOptions defaults() {
    return new ShmOptions(
        1024 * 1024, 1024 * 1024, 64 * 1024, 64 * 1024 * 1024, WaitStrategy.ADAPTIVE);
  }

  /** Returns these options with other sizes to ask for, in bytes. */
  public ShmOptions withRings(int sendBytes, int receiveBytes) {
    return new ShmOptions(sendBytes, receiveBytes, ringBytesMin, ringBytesMax, waitStrategy);
  }

  /** Returns these options with other bounds; the sizes to ask for are moved into them. */
  public ShmOptions withRingBounds(int minBytes, int maxBytes) {
    return new ShmOptions(
        Math.max(minBytes, Math.min(maxBytes, sendRingBytes)),
        Math.max(minBytes, Math.min(maxBytes, receiveRingBytes)),
        minBytes,
        maxBytes,
        waitStrategy);
  }

  /** Returns these options with another wait strategy. */
  public ShmOptions withWaitStrategy(WaitStrategy strategy) {
    return new ShmOptions(sendRingBytes, receiveRingBytes, ringBytesMin, ringBytesMax, strategy);
  }

  /**
   * Returns the ring that is granted to a peer that asks for a size: the next power of two within
   * the bounds.
   */
  public int grant(int wantedBytes) {
    int within = Math.max(ringBytesMin, Math.min(ringBytesMax, wantedBytes));
    return within == 1 ? 1 : Integer.highestOneBit(within - 1) << 1;
  }

  /** Whether a size that a peer has granted may be used: a power of two within the bounds. */
  public boolean accepts(int ringBytes) {
    return Integer.bitCount(ringBytes) == 1
        && ringBytes >= ringBytesMin
        && ringBytes <= ringBytesMax;
  }

  private static void requirePowerOfTwo(String name, int value) {
    requireWithin(name, value, RING_BYTES_MIN, RING_BYTES_MAX);
    if (Integer.bitCount(value) != 1) {
      throw new IllegalArgumentException(name + " is " + value + ", expected a power of two");
    }
  }

  private static void requireWithin(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s is %d, expected %d to %d".formatted(name, value, min, max));
    }
  }
}
