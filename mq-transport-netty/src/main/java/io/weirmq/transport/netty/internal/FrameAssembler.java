package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into frames, with as few copies as the memory rules allow. Confined to one
 * thread (the connection's event loop).
 *
 * <p>The socket is read into {@link #room}, the free end of the current buffer; {@link #next} then
 * returns whole frames as views of it. Rules:
 *
 * <ul>
 *   <li>A frame is contiguous in one buffer. Where its length does not fit into the rest of the
 *       current buffer, what has arrived of it moves to a new one; the rest is read there directly.
 *   <li>A new buffer's size follows what has really been received: four times the bytes at hand,
 *       the size of the last whole frame, or the read size that recent reads filled, whichever is
 *       largest. What a length prefix claims only ever makes it smaller.
 *   <li>Between reads a connection without a partial frame holds no buffer.
 * </ul>
 */
final class FrameAssembler {

  /** Bytes of the length prefix. */
  static final int PREFIX_BYTES = 4;

  /** Smallest read buffer: a typical request of a client that only asks for metadata or commits. */
  private static final int READ_BYTES_MIN = 512;

  private static final int READ_BYTES_INITIAL = 2048;

  /** Largest read buffer, unless one frame needs more: larger ones do not save system calls. */
  private static final int READ_BYTES_MAX = 128 * 1024;

  /** How far earlier frames of the connection vouch for the claim of the next one. */
  private static final int EARNED_BYTES_MAX = 1024 * 1024;

  private static final int GROWTH_FACTOR = 4;

  private final ByteBufAllocator allocator;
  private final int frameBytesMax;
  private @Nullable ByteBuf buffer;
  private int readBytes = READ_BYTES_INITIAL;
  private int earnedBytes;
  private boolean lastReadsWereSmall;

  FrameAssembler(ByteBufAllocator allocator, int frameBytesMax) {
    this.allocator = allocator;
    this.frameBytesMax = frameBytesMax;
  }

  /**
   * Returns the buffer to read into, with at least one writable byte, and with one more reference
   * that the reader gives back; bytes are appended at its writer index.
   */
  ByteBuf room() {
    ByteBuf current = buffer;
    if (current == null) {
      current = allocator.directBuffer(readBytes);
      buffer = current;
    } else if (!current.isReadable()) {
      if (current.writableBytes() < Math.max(READ_BYTES_MIN, readBytes / 4)) {
        current = replace(current, allocator.directBuffer(readBytes));
      }
    } else if (!fits(current)) {
      current = replace(current, allocator.directBuffer(grownCapacity(current)));
    }
    return current.retain();
  }

  /**
   * Adds received bytes.
   *
   * @param received transferred; either the buffer of {@link #room}, filled further, or any other
   */
  @SuppressWarnings("ReferenceEquality") // the question is whether it is the same object
  void append(ByteBuf received) {
    ByteBuf current = buffer;
    if (received == current) {
      received.release();
    } else if (current == null || !current.isReadable()) {
      release();
      buffer = received;
    } else {
      try {
        int count = received.readableBytes();
        if (current.writableBytes() < count) {
          int capacity = Math.max(current.readableBytes() + count, grownCapacity(current));
          current = replace(current, allocator.directBuffer(capacity));
        }
        current.writeBytes(received);
      } finally {
        received.release();
      }
    }
  }

  /**
   * Returns the next whole frame, or null where more bytes are needed.
   *
   * @return transferred
   * @throws FrameLengthException where the next length is negative or above the limit
   */
  @Nullable NettyInboundFrame next() throws FrameLengthException {
    ByteBuf current = buffer;
    if (current == null || current.readableBytes() < PREFIX_BYTES) {
      return null;
    }
    int start = current.readerIndex();
    int length = current.getInt(start);
    if (length < 0 || length > frameBytesMax) {
      throw new FrameLengthException(length, frameBytesMax);
    }
    if (current.readableBytes() - PREFIX_BYTES < length) {
      return null;
    }
    ByteBuffer view = current.nioBuffer(start + PREFIX_BYTES, length);
    current.readerIndex(start + PREFIX_BYTES + length);
    earnedBytes = Math.min(PREFIX_BYTES + length, EARNED_BYTES_MAX);
    return new NettyInboundFrame(current.retain(), view);
  }

  /**
   * Ends a series of reads: adapts the read size to it.
   *
   * @param bytes received in the series
   * @param filled whether a read filled its buffer, so that there may have been more
   */
  void readsEnded(long bytes, boolean filled) {
    if (filled) {
      readBytes = Math.min(readBytes * 2, READ_BYTES_MAX);
      lastReadsWereSmall = false;
    } else if (bytes >= readBytes / 4) {
      lastReadsWereSmall = false;
    } else if (lastReadsWereSmall) {
      readBytes = Math.max(readBytes / 2, READ_BYTES_MIN);
      lastReadsWereSmall = false;
    } else {
      lastReadsWereSmall = true;
    }
  }

  /** Gives the buffer back where no byte in it waits. */
  void trim() {
    ByteBuf current = buffer;
    if (current != null && !current.isReadable()) {
      release();
    }
  }

  /** Bytes received and not yet returned as frames. */
  int pendingBytes() {
    ByteBuf current = buffer;
    return current == null ? 0 : current.readableBytes();
  }

  /** Capacity of the buffer held now, in bytes. */
  int heldBytes() {
    ByteBuf current = buffer;
    return current == null ? 0 : current.capacity();
  }

  /** Size of the next read buffer, in bytes. */
  int readBytes() {
    return readBytes;
  }

  /** Gives the buffer and the bytes in it back. */
  void release() {
    ByteBuf current = buffer;
    if (current != null) {
      buffer = null;
      current.release();
    }
  }

  /**
   * Whether to go on reading into the buffer. A frame that will not fit moves while little of it
   * has arrived, except where the next buffer would not hold the whole of it either: then it fills
   * this one first.
   */
  private boolean fits(ByteBuf current) {
    if (!current.isWritable()) {
      return false;
    }
    long needed = PREFIX_BYTES;
    if (current.readableBytes() >= PREFIX_BYTES) {
      needed += Math.max(0, current.getInt(current.readerIndex()));
    }
    return current.readerIndex() + needed <= current.capacity()
        || (current.readerIndex() == 0 && grownCapacity(current) < needed);
  }

  private int grownCapacity(ByteBuf current) {
    int readable = current.readableBytes();
    long grown = Math.max((long) GROWTH_FACTOR * readable, earnedBytes);
    if (readable >= PREFIX_BYTES) {
      long frame = (long) PREFIX_BYTES + Math.max(0, current.getInt(current.readerIndex()));
      // While delivery is paused whole frames may pile up here; then there is no partial one to
      // fit.
      grown = frame > readable ? Math.min(grown, frame) : grown;
    }
    return (int) Math.min(Math.max(grown, Math.max(readBytes, readable + 1L)), Integer.MAX_VALUE);
  }

  private ByteBuf replace(ByteBuf old, ByteBuf replacement) {
    replacement.writeBytes(old);
    old.release();
    buffer = replacement;
    return replacement;
  }
}
