package io.weirmq.transport;

import java.nio.ByteBuffer;

/** A piece of an outbound frame: bytes in memory, or a range of a file. */
public sealed interface OutboundPart permits OutboundPart.Bytes, FileSlice {

  /** The length of this piece in bytes. */
  long lengthBytes();

  /**
   * Bytes in memory, from the buffer's position to its limit. The transport may move the position.
   *
   * @param buffer transferred with the frame
   */
  record Bytes(ByteBuffer buffer) implements OutboundPart {
    @Override
    public long lengthBytes() {
      return buffer.remaining();
    }
  }
}
