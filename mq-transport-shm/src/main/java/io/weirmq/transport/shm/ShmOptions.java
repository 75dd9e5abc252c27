package io.weirmq.transport.shm;

import io.weirmq.transport.shm.internal.ring.RingMemory;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
 * @param group name of the Unix group whose members may connect, or that the folder of another
 *     user's listener has to belong to where this side connects; null admits the own user only
 */
public record ShmOptions(
    int sendRingBytes,
    int receiveRingBytes,
    int ringBytesMin,
    int ringBytesMax,
    WaitStrategy waitStrategy,
    @Nullable String group) {

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

  /**
   * Returns the defaults: rings of 1 MiB, 64 KiB to 64 MiB on demand, adaptive waiting, own user
   * only.
   */
  public static ShmOptions defaults() {
    return new ShmOptions(
        1024 * 1024, 1024 * 1024, 64 * 1024, 64 * 1024 * 1024, WaitStrategy.ADAPTIVE, null);
  }

  /** Returns these options with other sizes to ask for, in bytes. */
  public ShmOptions withRings(int sendBytes, int receiveBytes) {
    return new ShmOptions(sendBytes, receiveBytes, ringBytesMin, ringBytesMax, waitStrategy, group);
  }

  /** Returns these options with other bounds; the sizes to ask for are moved into them. */
  public ShmOptions withRingBounds(int minBytes, int maxBytes) {
    return new ShmOptions(
        Math.max(minBytes, Math.min(maxBytes, sendRingBytes)),
        Math.max(minBytes, Math.min(maxBytes, receiveRingBytes)),
        minBytes,
        maxBytes,
        waitStrategy,
        group);
  }

  /** Returns these options with another wait strategy. */
  public ShmOptions withWaitStrategy(WaitStrategy strategy) {
    return new ShmOptions(
        sendRingBytes, receiveRingBytes, ringBytesMin, ringBytesMax, strategy, group);
  }

  /**
   * Returns these options with a group whose members are admitted.
   *
   * <p>A listener gives its folder and socket to the group, for which its user has to be a member
   * of it, and admits all members. A connecting side accepts a listener of another user where that
   * user owns the folder and the folder belongs to this group. Its members trust each other as far
   * as to know when one of them is connected; what they send is seen by the two sides only.
   *
   * @param name of the group, or its number
   */
  public ShmOptions withGroup(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("group has an empty name");
    }
    return new ShmOptions(
        sendRingBytes, receiveRingBytes, ringBytesMin, ringBytesMax, waitStrategy, name);
  }

  /**
   * Returns these options with what properties say instead.
   *
   * <table>
   *   <caption>Properties</caption>
   *   <tr><td>{@code shm.ring.bytes.min}</td><td>{@link #ringBytesMin()}</td></tr>
   *   <tr><td>{@code shm.ring.bytes.max}</td><td>{@link #ringBytesMax()}</td></tr>
   *   <tr><td>{@code shm.send.ring.bytes}</td><td>{@link #sendRingBytes()}</td></tr>
   *   <tr><td>{@code shm.receive.ring.bytes}</td><td>{@link #receiveRingBytes()}</td></tr>
   *   <tr><td>{@code shm.wait.strategy}</td>
   *       <td>{@code adaptive}, {@code yielding} or {@code busy-spin}</td></tr>
   *   <tr><td>{@code shm.group}</td><td>{@link #group()}</td></tr>
   * </table>
   *
   * <p>A size to ask for that is not given is moved into the bounds. Names that do not begin with
   * {@code shm.} are left aside.
   *
   * @throws IllegalArgumentException where another name begins so, or a value is malformed or out
   *     of bounds; the message names both
   */
  public ShmOptions with(Map<String, String> properties) {
    return ShmProperties.apply(properties, this);
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
