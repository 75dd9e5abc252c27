package io.weirmq.transport.shm.internal.ring;

import java.nio.ByteBuffer;

/**
 * The writing end of a ring.
 *
 * <pre>
 *   int position = writer.claim(length);
 *   if (position &gt;= 0) {
 *     writer.memory().put(position, source, from, length);
 *     writer.commit(RecordKind.WHOLE);
 *   }
 * </pre>
 *
 * <p>Confined to one thread.
 */
public final class RingWriter {

  /** There is no room now. */
  public static final int NO_ROOM = -1;

  private final RingMemory ring;
  private final ByteBuffer memory;
  private final int capacity;
  private final int indexMask;
  private final int payloadMax;

  private long position;
  private long readPosition;
  private int claimedIndex;
  private int claimedLength = NO_ROOM;

  /**
   * Begins to write.
   *
   * @param startPosition as the ring was made with
   */
  public RingWriter(RingMemory ring, long startPosition) {
    this.ring = ring;
    this.memory = ring.bytes();
    this.capacity = ring.capacity();
    this.indexMask = capacity - 1;
    this.payloadMax = ring.payloadMax();
    this.position = startPosition;
    this.readPosition = startPosition;
  }

  /** The memory that {@link #claim} gives positions of; only what is claimed may be written. */
  public ByteBuffer memory() {
    return memory;
  }

  /** Largest payload of one record. */
  public int payloadMax() {
    return payloadMax;
  }

  /** Bytes written since the ring was made, padding and headers too. */
  public long position() {
    return position;
  }

  /**
   * Takes room for a record. A claim that is not committed is given up by the next one.
   *
   * @param length of the payload, 0 to {@link #payloadMax()}
   * @return the payload's position in {@link #memory()}, or {@link #NO_ROOM}
   * @throws RingViolationException where the peer's position can't be
   */
  public int claim(int length) throws RingViolationException {
    if (length < 0 || length > payloadMax) {
      throw new IllegalArgumentException(
          "a record of %d bytes; expected 0 to %d".formatted(length, payloadMax));
    }
    int size = RingMemory.recordBytes(length);
    int index = (int) position & indexMask;
    int leftAtEnd = capacity - index;
    int needed = size <= leftAtEnd ? size : leftAtEnd + size;
    if (!hasRoom(needed)) {
      claimedLength = NO_ROOM;
      return NO_ROOM;
    }
    if (size > leftAtEnd) {
      ring.clearWord(0);
      ring.wordRelease(index, word(RecordKind.PADDING, leftAtEnd - RingMemory.RECORD_HEADER_BYTES));
      position += leftAtEnd;
      index = 0;
    }
    claimedIndex = index;
    claimedLength = length;
    return RingMemory.HEADER_BYTES + index + RingMemory.RECORD_HEADER_BYTES;
  }

  /** Whether a record of some length would find room now. */
  public boolean hasRoomFor(int length) throws RingViolationException {
    int size = RingMemory.recordBytes(length);
    int leftAtEnd = capacity - ((int) position & indexMask);
    return hasRoom(size <= leftAtEnd ? size : leftAtEnd + size);
  }

  private boolean hasRoom(int bytes) throws RingViolationException {
    long end = position + bytes + RingMemory.RECORD_HEADER_BYTES;
    if (end - readPosition <= capacity) {
      return true;
    }
    long now = ring.readPositionAcquire();
    if (now < readPosition || now > position || (now & 7) != 0) {
      throw new RingViolationException(
          "the peer says that it has read to position %d; expected %d to %d"
              .formatted(now, readPosition, position));
    }
    readPosition = now;
    return end - now <= capacity;
  }

  /**
   * Publishes what was claimed.
   *
   * @param kind of {@link RecordKind}
   */
  public void commit(int kind) {
    int length = claimedLength;
    if (length < 0) {
      throw new IllegalStateException("nothing is claimed");
    }
    int size = RingMemory.recordBytes(length);
    ring.clearWord((claimedIndex + size) & indexMask);
    ring.wordRelease(claimedIndex, word(kind, length));
    position += size;
    claimedLength = NO_ROOM;
  }

  private static int word(int kind, int length) {
    return length << RecordKind.BITS | kind;
  }

  /** Whether the reader sleeps and has to be woken for what was committed; true once per sleep. */
  public boolean takeReaderSleeps() {
    return ring.takeReaderSleeps();
  }

  /**
   * Asks to be woken when there is room.
   *
   * @return false where there is by now, so that nobody need wait
   */
  public boolean waitForRoom(int length) throws RingViolationException {
    ring.writerWaits();
    return !hasRoomFor(length);
  }
}
