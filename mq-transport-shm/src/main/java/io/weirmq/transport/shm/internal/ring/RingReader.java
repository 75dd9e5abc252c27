package io.weirmq.transport.shm.internal.ring;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The reading end of a ring. Confined to one thread. */
public final class RingReader {

  /** Takes the records that are read. */
  @FunctionalInterface
  public interface RecordHandler {

    /**
     * Called for each record, in order.
     *
     * @param kind of {@link RecordKind}
     * @param memory the ring's; valid during the call, and the peer may change it meanwhile
     * @param position of the payload in {@code memory}
     * @param length of the payload in bytes; checked
     * @return whether the next record is wanted now
     * @throws IOException where the record can't be taken; the reader is not used any more then
     */
    boolean onRecord(int kind, ByteBuffer memory, int position, int length) throws IOException;
  }

  private final RingMemory ring;
  private final ByteBuffer memory;
  private final int capacity;
  private final int indexMask;
  private final int payloadMax;
  private final int publishBytes;
  private final int lookBytes;

  private long position;
  private long published;
  private long lookedForWriter;

  /** Whether a record is with the handler. */
  private boolean handing;

  /**
   * Begins to read.
   *
   * @param startPosition as the ring was made with
   */
  public RingReader(RingMemory ring, long startPosition) {
    this.ring = ring;
    this.memory = ring.bytes();
    this.capacity = ring.capacity();
    this.indexMask = capacity - 1;
    this.payloadMax = ring.payloadMax();
    this.publishBytes = capacity / 8;
    this.lookBytes = capacity / 16;
    this.position = startPosition;
    this.published = startPosition;
    this.lookedForWriter = startPosition;
  }

  /** Bytes read since the ring was made, padding and headers too. */
  public long position() {
    return position;
  }

  /** Whether there is something to read. */
  public boolean hasRecord() {
    return ring.wordAcquire((int) position & indexMask) != 0;
  }

  /**
   * Hands over records that are there, and gives their room back. It ends after one round of the
   * ring at the latest, whatever the peer writes meanwhile.
   *
   * @param limit records at most, 1 or more
   * @return the number of records handed over
   * @throws RingViolationException where the peer has written what no peer writes
   * @throws IOException out of the handler; also where an error, as for a fault of memory, has
   *     ended an earlier read while a record was with the handler, for nobody knows whether it was
   *     taken
   */
  public int read(RecordHandler handler, int limit) throws IOException {
    if (handing) {
      throw new IOException(
          "reading failed within a record at position %d; it may have been taken or not"
              .formatted(position));
    }
    int count = 0;
    boolean wanted = true;
    // Padding is no record and does not count: without an end of its own this loop would trust the
    // peer with it.
    long end = position + capacity;
    try {
      while (wanted && count < limit && position < end) {
        int index = (int) position & indexMask;
        int word = ring.wordAcquire(index);
        if (word == 0) {
          break;
        }
        int kind = word & RecordKind.MASK;
        int length = word >>> RecordKind.BITS;
        check(kind, length, index);
        if (kind != RecordKind.PADDING) {
          int payload = RingMemory.HEADER_BYTES + index + RingMemory.RECORD_HEADER_BYTES;
          handing = true;
          wanted = handler.onRecord(kind, memory, payload, length);
          count++;
        }
        position += RingMemory.recordBytes(length);
        handing = false;
        if (position - published >= publishBytes) {
          publish();
        }
      }
    } finally {
      publish();
    }
    return count;
  }

  private void check(int kind, int length, int index) throws RingViolationException {
    int roomAtEnd = capacity - index - RingMemory.RECORD_HEADER_BYTES;
    if (kind == RecordKind.PADDING) {
      if (length != roomAtEnd || length >= payloadMax) { // else any record would have fitted
        throw new RingViolationException(
            "padding of %d bytes at index %d; expected all of the %d that are left, where these are less than %d"
                .formatted(length, index, roomAtEnd, payloadMax));
      }
      return;
    }
    int lengthMax = kind == RecordKind.END ? 0 : Math.min(payloadMax, roomAtEnd);
    if (kind < RecordKind.WHOLE || kind > RecordKind.END || length > lengthMax) {
      throw new RingViolationException(
          "record of kind %d and %d bytes at index %d; expected kind %d to %d and at most %d bytes"
              .formatted(kind, length, index, RecordKind.WHOLE, RecordKind.PADDING, lengthMax));
    }
  }

  private void publish() {
    if (position != published) {
      published = position;
      ring.readPositionRelease(position);
    }
  }

  /**
   * Whether the writer waits and has to be woken for the room that was made; true once per wait.
   * The look costs a fence, and is left out until a sixteenth of the ring was read since the last
   * one: a writer that waits has found at least half of the ring unread, so that a look comes
   * before all of that is read.
   */
  public boolean takeWriterWaits() {
    if (position - lookedForWriter < lookBytes) {
      return false;
    }
    lookedForWriter = position;
    return ring.takeWriterWaits();
  }

  /**
   * Asks to be woken for the next record.
   *
   * @return false where there is one by now; then {@link #awake} is called and the reader goes on
   */
  public boolean sleep() {
    ring.readerSleeps();
    return !hasRecord();
  }

  /** Takes the wish to be woken back. */
  public void awake() {
    ring.readerAwake();
  }
}
