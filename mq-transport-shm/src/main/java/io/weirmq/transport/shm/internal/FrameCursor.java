package io.weirmq.transport.shm.internal;

import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import io.weirmq.transport.shm.internal.ring.RecordKind;
import io.weirmq.transport.shm.internal.ring.RingViolationException;
import io.weirmq.transport.shm.internal.ring.RingWriter;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames into the ring, large ones in pieces as {@link FrameAssembly} expects them, and
 * knows how far it is with the current one. What it writes is held until the writer publishes it.
 * Confined to one thread at a time.
 */
final class FrameCursor {

  private final RingWriter writer;
  private final int pieceMax;
  private @Nullable OutboundFrame frame;
  private long left;
  private boolean begun;
  private int partIndex;
  private long partDone;

  /**
   * Makes a cursor.
   *
   * @param pieceMax largest payload of a record; smaller than the ring allows, so that the reader
   *     takes one piece while the next is written
   */
  FrameCursor(RingWriter writer, int pieceMax) {
    this.writer = writer;
    this.pieceMax = pieceMax;
  }

  /** Whether a frame can go as one record without a look at a file. */
  boolean isSmall(OutboundFrame candidate) {
    if (candidate.lengthBytes() > pieceMax) {
      return false;
    }
    for (OutboundPart part : candidate.parts()) {
      if (part instanceof FileSlice) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes a small frame that is one buffer, where there is room.
   *
   * @param content borrowed; its position does not move
   * @return false where there is no room now
   */
  boolean write(ByteBuffer content) throws RingViolationException {
    int length = content.remaining();
    int position = writer.claim(length);
    if (position == RingWriter.NO_ROOM) {
      return false;
    }
    writer.memory().put(position, content, content.position(), length);
    writer.hold(RecordKind.WHOLE);
    return true;
  }

  /** Publishes before the flush where so many bytes are held, for the peer to begin with. */
  void publishWhereMuchIsHeld(int bytes) {
    if (writer.heldBytes() >= bytes) {
      writer.publish();
    }
  }

  /**
   * Writes what there is room for, the same frame again until it is done.
   *
   * @param current borrowed; positions of its buffers move
   * @param bytesMax where to stop for now
   * @return bytes of records written; whether that was all of the frame, {@link #isDone()} tells
   * @throws IOException where a file is shorter than its slice or can't be read, or the peer breaks
   *     the rules
   * @throws IllegalStateException where a buffer's length is not what it was when the frame was
   *     made
   */
  long write(OutboundFrame current, long bytesMax) throws IOException {
    if (frame != current) {
      begin(current);
    }
    long written = 0;
    do {
      int length = nextLength();
      int position = written < bytesMax ? writer.claim(length) : RingWriter.NO_ROOM;
      if (position == RingWriter.NO_ROOM) {
        return written;
      }
      writer.hold(fill(current, position, length));
      written += length + 1;
    } while (left > 0);
    frame = null;
    return written;
  }

  /** Whether the frame that was written last is in the ring as a whole. */
  boolean isDone() {
    return frame == null;
  }

  /** Payload of the next record of a frame that is, or will be, the current one. */
  int lengthToWaitFor(OutboundFrame next) {
    return frame == next ? nextLength() : (int) Math.min(pieceMax, next.lengthBytes());
  }

  private int nextLength() {
    boolean first = !begun && left > pieceMax;
    return (int) Math.min(pieceMax, first ? left + FrameAssembly.LENGTH_BYTES : left);
  }

  private void begin(OutboundFrame next) {
    long now = 0;
    for (OutboundPart part : next.parts()) {
      now += part.lengthBytes();
    }
    if (now != next.lengthBytes()) {
      throw new IllegalStateException(
          "frame was made with %d bytes and has %d now".formatted(next.lengthBytes(), now));
    }
    frame = next;
    left = now;
    begun = false;
    partIndex = 0;
    partDone = 0;
  }

  /** Fills a claimed record and returns its kind. */
  private int fill(OutboundFrame current, int position, int length) throws IOException {
    boolean first = !begun && left > pieceMax;
    boolean whole = !begun && !first;
    int start = position;
    int bytes = length;
    if (first) {
      writer.memory().putInt(position, (int) left);
      start += FrameAssembly.LENGTH_BYTES;
      bytes -= FrameAssembly.LENGTH_BYTES;
    }
    copyParts(current, start, bytes);
    begun = true;
    left -= bytes;
    if (whole) {
      return RecordKind.WHOLE;
    }
    return first ? RecordKind.FIRST : left > 0 ? RecordKind.MIDDLE : RecordKind.LAST;
  }

  private void copyParts(OutboundFrame current, int position, int length) throws IOException {
    int target = position;
    int missing = length;
    while (missing > 0) {
      OutboundPart part = current.parts().get(partIndex);
      int count;
      if (part instanceof OutboundPart.Bytes bytes) {
        count = Math.min(missing, bytes.buffer().remaining());
        copyBytes(bytes.buffer(), target, count);
        if (!bytes.buffer().hasRemaining()) {
          partIndex++;
        }
      } else {
        FileSlice slice = (FileSlice) part;
        count = (int) Math.min(missing, slice.lengthBytes() - partDone);
        readFile(slice, target, count);
        partDone += count;
        if (partDone == slice.lengthBytes()) {
          partIndex++;
          partDone = 0;
        }
      }
      target += count;
      missing -= count;
    }
  }

  private void copyBytes(ByteBuffer source, int target, int count) {
    writer.memory().put(target, source, source.position(), count);
    source.position(source.position() + count);
  }

  /** From the file straight into shared memory. */
  private void readFile(FileSlice slice, int target, int count) throws IOException {
    ByteBuffer into = writer.memory().slice(target, count);
    long position = slice.position() + partDone;
    while (into.hasRemaining()) {
      int read = slice.channel().read(into, position);
      if (read < 0) {
        throw new EOFException(
            "file of %d bytes ends inside a slice at position %d with length %d"
                .formatted(slice.channel().size(), slice.position(), slice.lengthBytes()));
      }
      position += read;
    }
  }
}
