package io.weirmq.transport.shm.internal.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The orderings that the ring stands on, each as two threads that race once. */
public final class RingOrdering {

  private static final int CAPACITY = 1024;

  private RingOrdering() {}

  /** A ring that both ends have. */
  static class Ends {
    final RingMemory ring;
    final RingWriter writer;
    final RingReader reader;
    long read;

    Ends() {
      ByteBuffer memory =
          ByteBuffer.allocateDirect(RingMemory.HEADER_BYTES + CAPACITY + Long.BYTES)
              .alignedSlice(Long.BYTES)
              .slice(0, RingMemory.HEADER_BYTES + CAPACITY);
      ring = RingMemory.create(memory, 0);
      writer = new RingWriter(ring, 0);
      try {
        reader = new RingReader(RingMemory.attach(memory), 0);
      } catch (RingViolationException e) {
        throw new IllegalStateException(e);
      }
    }

    void write(int length) {
      try {
        int position = writer.claim(length);
        if (position == RingWriter.NO_ROOM) {
          throw new IllegalStateException("no room");
        }
        writer.memory().putLong(position, -1);
        writer.commit(RecordKind.WHOLE);
      } catch (RingViolationException e) {
        throw new IllegalStateException(e);
      }
    }

    void hold() {
      try {
        writer.memory().putLong(writer.claim(Long.BYTES), -1);
        writer.hold(RecordKind.WHOLE);
      } catch (RingViolationException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns what a record says, or 0 where there is none. */
    long readOne() {
      read = 0;
      try {
        reader.read(
            (kind, memory, position, length) -> {
              long payload = memory.getLong(position);
              read = payload == 0 ? 99 : payload;
              return false;
            },
            1);
      } catch (IOException e) {
        return 98;
      }
      return read;
    }
  }

  /** Whoever sees a record's word sees its payload. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "read before it was published")
  @Outcome(id = "-1", expect = ACCEPTABLE, desc = "read whole")
  @Outcome(expect = FORBIDDEN, desc = "a word without its payload (99), or a broken ring (98)")
  @State
  public static class Publication extends Ends {
    @Actor
    public void writing() {
      write(Long.BYTES);
    }

    @Actor
    public void reading(J_Result result) {
      result.r1 = readOne();
    }
  }

  /** Whoever sees the first record of a batch sees all of it. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "read before it was published")
  @Outcome(id = "-2", expect = ACCEPTABLE, desc = "both records, whole")
  @Outcome(expect = FORBIDDEN, desc = "one without the other (-1), or without its payload")
  @State
  public static class Batch extends Ends {
    @Actor
    public void writing() {
      hold();
      hold();
      writer.publish();
    }

    @Actor
    public void reading(J_Result result) {
      long first = readOne();
      result.r1 = first == 0 ? 0 : first + readOne();
    }
  }

  /**
   * Two senders that take turns at the writer, as the lock of a connection has them do, and flush:
   * who finds nothing held, without the lock, finds its record published, whoever has done that.
   */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both are published")
  @Outcome(expect = FORBIDDEN, desc = "a sender has flushed and its record is not to be seen")
  @State
  public static class TwoSenders extends Ends {
    @Actor
    public void one(ZZ_Result result) {
      result.r1 = sendAndFlush();
    }

    @Actor
    public void other(ZZ_Result result) {
      result.r2 = sendAndFlush();
    }

    private boolean sendAndFlush() {
      int index;
      synchronized (this) {
        index = (int) writer.position();
        hold();
      }
      if (writer.isHolding()) {
        synchronized (this) {
          writer.publish();
        }
      }
      // The reader comes to a record by all that are before it.
      return ring.wordAcquire(0) != 0 && ring.wordAcquire(index) != 0;
    }
  }

  /** A reader that goes to sleep is rung for, or sees the record. */
  @JCStressTest
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "the reader saw the record")
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the reader sleeps and is rung for")
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "both saw each other: one bell too many")
  @Outcome(id = "false, true", expect = FORBIDDEN, desc = "it sleeps and nobody rings")
  @State
  public static class Sleep extends Ends {
    @Actor
    public void writing(ZZ_Result result) {
      write(Long.BYTES);
      result.r1 = writer.takeReaderSleeps();
    }

    @Actor
    public void sleeping(ZZ_Result result) {
      result.r2 = reader.sleep();
    }
  }

  /** A writer that waits for room is rung for, or sees the room. */
  @JCStressTest
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "the writer saw the room")
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the writer waits and is rung for")
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "both saw each other: one bell too many")
  @Outcome(id = "false, true", expect = FORBIDDEN, desc = "it waits and nobody rings")
  @State
  public static class Room extends Ends {

    private static final int LENGTH = 240;

    public Room() {
      // Four records of 248 bytes: 32 bytes are left.
      for (int i = 0; i < 4; i++) {
        write(LENGTH);
      }
    }

    @Actor
    public void reading(ZZ_Result result) {
      readOne();
      result.r1 = reader.takeWriterWaits();
    }

    @Actor
    public void waiting(ZZ_Result result) {
      try {
        result.r2 = writer.waitForRoom(LENGTH - 48);
      } catch (RingViolationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
