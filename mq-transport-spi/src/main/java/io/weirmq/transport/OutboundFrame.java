package io.weirmq.transport;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A frame to send: pieces that are buffers or file ranges, without the length prefix.
 *
 * <p>Confined to one thread at a time: the sender until {@link Connection#send}, then the
 * transport.
 */
public final class OutboundFrame {

  private static final Runnable NOTHING = () -> {};

  private final List<OutboundPart> parts;
  private final long lengthBytes;
  private final Runnable onRelease;

  /**
   * Makes a frame of pieces.
   *
   * @param parts transferred, in wire order
   * @param onRelease run once after the frame was sent or dropped, and after the release of its
   *     file slices; gives pooled buffers back
   */
  public OutboundFrame(List<OutboundPart> parts, Runnable onRelease) {
    this.parts = List.copyOf(parts);
    this.onRelease = onRelease;
    long sum = 0;
    for (OutboundPart part : this.parts) {
      sum += part.lengthBytes();
    }
    this.lengthBytes = sum;
  }

  /** Returns a frame of one buffer that needs no release. */
  public static OutboundFrame of(ByteBuffer content) {
    return new OutboundFrame(List.of(new OutboundPart.Bytes(content)), NOTHING);
  }

  /** The pieces in wire order. */
  public List<OutboundPart> parts() {
    return parts;
  }

  /** The sum of the pieces' lengths in bytes, as it was when the frame was made. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** Releases file slices and buffers; called by the transport, once. */
  public void release() {
    for (OutboundPart part : parts) {
      if (part instanceof FileSlice slice) {
        slice.release();
      }
    }
    onRelease.run();
  }
}
