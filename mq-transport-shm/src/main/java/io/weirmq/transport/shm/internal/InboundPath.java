package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingReader;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The way of frames from the ring to the handler, with its pause.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>No frame is delivered while the connection is paused; the ring is read no further then, so
 *       that the peer is held back once it is full.
 *   <li>A frame is copied out of the ring before anybody looks at it.
 *   <li>When the peer has ended, what it had put into the ring is delivered first, also after a
 *       pause.
 * </ul>
 *
 * <p>Confined to the connection's loop, except for {@link #pause} and {@link #unpause}.
 */
final class InboundPath implements RingReader.RecordHandler {

  /** Records in one turn, so that other connections have theirs. */
  private static final int RECORDS_PER_TURN = 256;

  /** Bytes in one turn, for the same reason. */
  private static final int BYTES_PER_TURN = 512 * 1024;

  private final ShmConnection connection;
  private final HandlerCalls handler;
  private final FrameMemory frames;
  private final FrameAssembly assembly;
  private final int frameBytesMax;
  private final int ringBytes;
  private @Nullable RingReader reader;
  private @Nullable ShmInboundFrame held;
  private volatile boolean paused;
  private boolean peerClosed;
  private boolean peerGone;
  private long endPosition;
  private int turnBytes;

  InboundPath(
      ShmConnection connection,
      HandlerCalls handler,
      SharedRings rings,
      FrameMemory frames,
      int frameBytesMax) {
    this.connection = connection;
    this.handler = handler;
    this.reader = rings.reader();
    this.ringBytes = rings.readerBytes();
    this.frames = frames;
    this.assembly = new FrameAssembly(frames, frameBytesMax, rings.isOfServer());
    this.frameBytesMax = frameBytesMax;
  }

  /** Stops deliveries. From any thread. */
  void pause() {
    paused = true;
  }

  /** Lets deliveries go on, with the next turn. From any thread. */
  void unpause() {
    paused = false;
  }

  boolean isPaused() {
    return paused;
  }

  /** Bytes read so far, as a sign of life. */
  long position() {
    return reader == null ? 0 : reader.position();
  }

  /** The peer's process or its connection is gone; what it has left in the ring is still read. */
  void peerGone() {
    peerGone = true;
    // What an honest peer has left is no more than a ring; who writes on without a socket is cut.
    endPosition = position() + ringBytes;
  }

  /**
   * Delivers what is there, as far as one turn allows.
   *
   * @return the amount of work done
   * @throws IOException where the peer breaks the rules
   */
  int poll() throws IOException {
    RingReader source = reader;
    if (source == null || paused) {
      return 0;
    }
    if (held != null || source.hasRecord()) {
      connection.takeForeignFaults();
    }
    int count = 0;
    if (held != null) {
      ShmInboundFrame frame = held;
      held = null;
      handler.deliver(frame);
      count++;
    }
    if (!paused && !peerClosed && connection.isOpen()) {
      turnBytes = 0;
      int read = source.read(this, RECORDS_PER_TURN);
      if (read > 0 && source.takeWriterWaits()) {
        connection.ring();
      }
      count += read;
    }
    if (!paused && held == null && connection.isOpen()) {
      finish(count == 0 || source.position() - endPosition >= 0);
    }
    return count;
  }

  private void finish(boolean ringIsRead) {
    if (peerClosed) {
      connection.inputExhausted();
    } else if (peerGone && ringIsRead) {
      connection.abort(
          assembly.isUnderWay()
              ? new EOFException(
                  "peer %s ended inside a frame, after %d bytes"
                      .formatted(connection.peer(), assembly.filledBytes()))
              : new EOFException(
                  "peer %s ended without closing the connection".formatted(connection.peer())));
    }
  }

  @Override
  public boolean onRecord(int kind, ByteBuffer memory, int position, int length)
      throws IOException {
    turnBytes += length;
    switch (kind) {
      case RecordKind.WHOLE -> {
        requireNoneUnderWay("a whole frame");
        if (length > frameBytesMax) {
          throw new FrameLengthException(length, frameBytesMax);
        }
        if (length <= FrameMemory.SHARED_BYTES_MAX && !paused && handler.borrows()) {
          handler.lend(frames.lend(memory, position, length));
        } else {
          take(frames.copy(memory, position, length));
        }
      }
      case RecordKind.END -> {
        requireNoneUnderWay("the end");
        peerClosed = true;
      }
      default -> {
        ShmInboundFrame frame = assembly.add(kind, memory, position, length);
        if (frame != null) {
          take(frame);
        }
      }
    }
    return !peerClosed
        && held == null
        && !paused
        && turnBytes < BYTES_PER_TURN
        && connection.isOpen();
  }

  private void requireNoneUnderWay(String what) throws RingViolationException {
    if (assembly.isUnderWay()) {
      throw new RingViolationException(
          "%s after %d bytes of a frame in pieces; expected more of that"
              .formatted(what, assembly.filledBytes()));
    }
  }

  private void take(ShmInboundFrame frame) {
    if (paused) {
      held = frame;
    } else {
      handler.deliver(frame);
    }
  }

  /** Asks to be woken for the next record; false where there is one, or the end is to be told. */
  boolean rest() {
    if (reader == null || paused || !connection.isOpen()) {
      return true;
    }
    return !peerGone && !peerClosed && held == null && reader.sleep();
  }

  /** Takes the wish to be woken back. */
  void awake() {
    if (reader != null) {
      reader.awake();
    }
  }

  /** Drops what has not been delivered, and the ring. */
  void release() {
    reader = null;
    assembly.drop();
    if (held != null) {
      held.release();
      held = null;
    }
  }
}
