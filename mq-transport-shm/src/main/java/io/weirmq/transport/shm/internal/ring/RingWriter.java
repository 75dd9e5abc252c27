package io.weirmq.transport.shm.internal.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The writing end of a ring.
 *
 * <pre>
 *   int position = writer.claim(length);
 *   if (position &gt;= 0) {
 *     writer.memory().put(position, source, from, length);
 *     writer.hold(RecordKind.WHOLE);
 *   }
 *   ...
 *   writer.publish();
 * </pre>
 *
 * <p>Records are published one by one with {@link #commit}, or several together: the word of the
 * first one is held back, so that the reader sees none of them until it is there, and all of them
 * then. The lines of memory change hands once per batch.
 *
 * <p>Confined to one thread at a time, but for {@link #isHolding()}.
 */
public final class RingWriter {

  /** There is no room now. */
  public static final int NO_ROOM = -1;

  /** Index of what is held where nothing is. */
  private static final int NOTHING = -1;

  /** Length of what is claimed where nothing is. */
  private static final int NO_CLAIM = -1;

  private static final VarHandle HELD_INDEX = heldIndexHandle();

  private static VarHandle heldIndexHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(RingWriter.class, "heldIndex", int.class);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the field is there", e);
    }
  }

  private final RingMemory ring;
  private final ByteBuffer memory;
  private final int capacity;
  private final int indexMask;
  private final int payloadMax;

  private long position;
  private long readPosition;
  private long heldPosition;
  private int heldIndex = NOTHING;
  private int heldWord;
  private int claimedIndex;
  private int claimedLength = NO_CLAIM;

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
      claimedLength = NO_CLAIM;
      return NO_ROOM;
    }
    if (size > leftAtEnd) {
      put(index, RecordKind.PADDING, leftAtEnd - RingMemory.RECORD_HEADER_BYTES);
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
   * Publishes what was claimed, and what was held.
   *
   * @param kind of {@link RecordKind}
   */
  public void commit(int kind) {
    hold(kind);
    publish();
  }

  /**
   * Ends the record that was claimed; the reader sees it after {@link #publish}.
   *
   * @param kind of {@link RecordKind}
   */
  public void hold(int kind) {
    int length = claimedLength;
    if (length == NO_CLAIM) {
      throw new IllegalStateException("nothing is claimed");
    }
    put(claimedIndex, kind, length);
    claimedLength = NO_CLAIM;
  }

  private void put(int index, int kind, int length) {
    int size = RingMemory.recordBytes(length);
    int word = length << RecordKind.BITS | kind;
    ring.clearWord((index + size) & indexMask);
    if (heldIndex == NOTHING) {
      heldIndex = index;
      heldWord = word;
      heldPosition = position;
    } else {
      ring.word(index, word);
    }
    position += size;
  }

  /** Publishes what is held. */
  public void publish() {
    if (heldIndex != NOTHING) {
      ring.wordRelease(heldIndex, heldWord);
      HELD_INDEX.setRelease(this, NOTHING);
    }
  }

  /**
   * Whether something is held. For any thread: one that was the writer, and finds nothing held of
   * what it has held, finds that published.
   */
  public boolean isHolding() {
    return (int) HELD_INDEX.getAcquire(this) != NOTHING;
  }

  /** Bytes that are held, headers too. */
  public int heldBytes() {
    return heldIndex == NOTHING ? 0 : (int) (position - heldPosition);
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
