package io.weirmq.transport.shm.internal.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory of a ring, with the accesses that its two ends need; see the package for the layout.
 * Both ends live on one host, so that words have its byte order. Safe for use by several threads as
 * far as each method says who calls it.
 */
public final class RingMemory {

  /** Bytes in front of the records. */
  public static final int HEADER_BYTES = 512;

  /** Smallest capacity. */
  public static final int CAPACITY_MIN = 1024;

  /** Largest capacity. */
  public static final int CAPACITY_MAX = 1 << 29;

  /** Bytes in front of a record's payload. */
  static final int RECORD_HEADER_BYTES = 8;

  private static final long MAGIC = 0x57_65_69_72_4d_51_00_01L; // "WeirMQ", version 1

  private static final int MAGIC_POSITION = 0;
  private static final int READ_POSITION = 128;
  private static final int READER_SLEEPS = 256;
  private static final int WRITER_WAITS = 384;

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final int capacity;

  private RingMemory(ByteBuffer memory) {
    this.memory = memory;
    this.capacity = memory.capacity() - HEADER_BYTES;
  }

  /**
   * Makes a ring in memory that is all zeros.
   *
   * @param memory direct, aligned to 8 bytes, {@link #HEADER_BYTES} and a power of two long
   * @param startPosition where both ends begin, a multiple of 8; 0 but in tests
   */
  public static RingMemory create(ByteBuffer memory, long startPosition) {
    RingMemory ring = new RingMemory(view(memory));
    LONG.set(ring.memory, READ_POSITION, startPosition);
    LONG.setRelease(ring.memory, MAGIC_POSITION, MAGIC);
    return ring;
  }

  /**
   * Takes a ring that this process has made, without a look at it.
   *
   * @param memory as for {@link #create}
   */
  public static RingMemory own(ByteBuffer memory) {
    return new RingMemory(view(memory));
  }

  /**
   * Takes a ring over that the peer has made.
   *
   * @param memory as for {@link #create}
   * @throws RingViolationException where it is none, or of another version
   */
  public static RingMemory attach(ByteBuffer memory) throws RingViolationException {
    RingMemory ring = new RingMemory(view(memory));
    long found = (long) LONG.getAcquire(ring.memory, MAGIC_POSITION);
    if (found != MAGIC) {
      throw new RingViolationException(
          "shared memory begins with %016x; expected %016x".formatted(found, MAGIC));
    }
    return ring;
  }

  private static ByteBuffer view(ByteBuffer memory) {
    ByteBuffer whole = memory.slice().order(ByteOrder.nativeOrder());
    int records = whole.capacity() - HEADER_BYTES;
    if (records < CAPACITY_MIN || records > CAPACITY_MAX || Integer.bitCount(records) != 1) {
      throw new IllegalArgumentException(
          "a ring has %d bytes of records; expected a power of two, %d to %d"
              .formatted(records, CAPACITY_MIN, CAPACITY_MAX));
    }
    if (!whole.isDirect() || whole.alignmentOffset(0, Long.BYTES) != 0) {
      throw new IllegalArgumentException("a ring's memory is direct and aligned to 8 bytes");
    }
    return whole;
  }

  /** Bytes for records, a power of two. */
  public int capacity() {
    return capacity;
  }

  /** Largest payload of a record in bytes: four records fit in any case. */
  public int payloadMax() {
    return capacity / 4 - 2 * RECORD_HEADER_BYTES;
  }

  /** The size of a record with a payload of some length. */
  static int recordBytes(int length) {
    return (length + RECORD_HEADER_BYTES + 7) & ~7;
  }

  /** The memory itself; positions of records are relative to {@link #HEADER_BYTES}. */
  ByteBuffer bytes() {
    return memory;
  }

  int wordAcquire(int index) {
    return (int) INT.getAcquire(memory, HEADER_BYTES + index);
  }

  void wordRelease(int index, int word) {
    INT.setRelease(memory, HEADER_BYTES + index, word);
  }

  /** Writer only; made visible by the next release. */
  void word(int index, int word) {
    memory.putInt(HEADER_BYTES + index, word);
  }

  /** As {@link #word}, for the record to come. */
  void clearWord(int index) {
    word(index, 0);
  }

  long readPositionAcquire() {
    return (long) LONG.getAcquire(memory, READ_POSITION);
  }

  void readPositionRelease(long position) {
    LONG.setRelease(memory, READ_POSITION, position);
  }

  void readerSleeps() {
    INT.setVolatile(memory, READER_SLEEPS, 1);
    VarHandle.fullFence();
  }

  void readerAwake() {
    INT.setOpaque(memory, READER_SLEEPS, 0);
  }

  /** Takes the reader's flag back; to be called after a record was published. */
  boolean takeReaderSleeps() {
    return take(READER_SLEEPS);
  }

  void writerWaits() {
    INT.setVolatile(memory, WRITER_WAITS, 1);
    VarHandle.fullFence();
  }

  /** Takes the writer's flag back; to be called after room was made. */
  boolean takeWriterWaits() {
    return take(WRITER_WAITS);
  }

  private boolean take(int flag) {
    VarHandle.fullFence();
    return (int) INT.getOpaque(memory, flag) != 0 && (int) INT.getAndSet(memory, flag, 0) != 0;
  }
}
