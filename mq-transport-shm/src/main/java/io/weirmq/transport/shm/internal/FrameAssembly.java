package io.weirmq.transport.shm.internal;

import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a frame together that comes in pieces.
 *
 * <pre>
 *   FIRST   4 bytes: length of the frame in the host's byte order; then its first bytes
 *   MIDDLE  bytes
 *   LAST    bytes, up to that length exactly
 * </pre>
 *
 * <p>What throws leaves the unfinished frame as it is, for {@link #drop} to let go of.
 *
 * <p>On the listening side no memory is taken for what a length merely claims: the room grows with
 * what has arrived, by doubling. A connecting side has chosen its peer and knows whose process that
 * is: it takes the whole room at once, which saves the copies from room to room and the zeros that
 * Java writes into each. Confined to the I/O thread.
 */
final class FrameAssembly {

  /** Bytes of the length in a first piece. */
  static final int LENGTH_BYTES = Integer.BYTES;

  /** Size up to which there is room at once for a frame of a peer that anybody may be. */
  private static final int AT_ONCE_BYTES_MAX = 256 * 1024;

  private final FrameMemory frames;
  private final int frameBytesMax;
  private final int atOnceBytesMax;
  private @Nullable FrameRoom room;
  private int length;
  private int filled;

  /**
   * Makes an assembly without a frame.
   *
   * @param isOfServer whether the peer is one that has come by itself
   */
  FrameAssembly(FrameMemory frames, int frameBytesMax, boolean isOfServer) {
    this.frames = frames;
    this.frameBytesMax = frameBytesMax;
    this.atOnceBytesMax = isOfServer ? AT_ONCE_BYTES_MAX : frameBytesMax;
  }

  /** Whether a frame has begun and not ended. */
  boolean isUnderWay() {
    return room != null;
  }

  /** Bytes of the unfinished frame that have arrived. */
  int filledBytes() {
    return filled;
  }

  /**
   * Takes a piece.
   *
   * @return the frame where this was its last piece, else null
   * @throws RingViolationException where the piece does not fit what came before
   * @throws FrameLengthException where the frame is too long
   */
  @Nullable ShmInboundFrame add(int kind, ByteBuffer memory, int position, int pieceLength)
      throws RingViolationException, FrameLengthException {
    if (kind == RecordKind.FIRST) {
      begin(memory, position, pieceLength);
      append(memory, position + LENGTH_BYTES, pieceLength - LENGTH_BYTES, false);
      return null;
    }
    append(memory, position, pieceLength, kind == RecordKind.LAST);
    return kind == RecordKind.LAST ? finish() : null;
  }

  /** Lets go of an unfinished frame. */
  void drop() {
    FrameRoom unfinished = room;
    room = null;
    filled = 0;
    if (unfinished != null) {
      unfinished.giveBack();
    }
  }

  private void begin(ByteBuffer memory, int position, int pieceLength)
      throws RingViolationException, FrameLengthException {
    if (room != null) {
      throw new RingViolationException(
          "first piece of a frame after %d of %d bytes of another; expected more of that"
              .formatted(filled, length));
    }
    if (pieceLength <= LENGTH_BYTES) {
      throw new RingViolationException(
          "first piece of %d bytes; expected more than %d".formatted(pieceLength, LENGTH_BYTES));
    }
    int claimed = memory.getInt(position);
    if (claimed < 0 || claimed > frameBytesMax) {
      throw new FrameLengthException(claimed, frameBytesMax);
    }
    length = claimed;
    filled = 0;
    room = frames.roomFor(Math.min(claimed, atOnceBytesMax));
  }

  private void append(ByteBuffer memory, int position, int pieceLength, boolean last)
      throws RingViolationException {
    FrameRoom target = room;
    int left = length - filled;
    if (target == null || pieceLength == 0 || (last ? pieceLength != left : pieceLength >= left)) {
      throw new RingViolationException(
          "%s piece of %d bytes; expected %s"
              .formatted(
                  last ? "last" : "further",
                  pieceLength,
                  target == null
                      ? "a frame to begin first"
                      : "%s %d of them".formatted(last ? "exactly" : "1 to less than", left)));
    }
    int end = filled + pieceLength;
    if (end > target.capacity()) {
      target = grow(target, end);
    }
    target.memory().put(filled, memory, position, pieceLength);
    filled = end;
  }

  private FrameRoom grow(FrameRoom full, int needed) {
    long doubled = Math.max(needed, 2L * full.capacity());
    FrameRoom larger = frames.roomFor((int) Math.min(length, doubled));
    try {
      larger.memory().put(0, full.memory(), 0, filled);
    } catch (RuntimeException | Error e) {
      larger.giveBack(); // a fault in the memory of a peer may be reported here
      throw e;
    }
    room = larger;
    full.giveBack();
    return larger;
  }

  private ShmInboundFrame finish() {
    FrameRoom whole = room;
    if (whole == null) {
      throw new IllegalStateException("no frame is under way");
    }
    ShmInboundFrame frame = whole.frame(length);
    room = null;
    filled = 0;
    return frame;
  }
}
