package io.weirmq.transport;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A frame to send: pieces that are buffers or file ranges, without the length prefix.
 *
 * <p>Confined to one thread at a time: the sender until {@link Connection#send}, then the
 * transport.
 */
public final class OutboundFrame {

  /** What a pending frame counts for itself: about the memory of its objects, in bytes. */
  public static final int FRAME_COST_BYTES = 64;

  /**
   * What a pending file slice counts at most, in bytes. It holds no memory, but a file open and a
   * segment from deletion; a flat charge bounds how many a slow peer can make us hold.
   */
  public static final int FILE_SLICE_COST_BYTES_MAX = 64 * 1024;

  private static final Runnable NOTHING = () -> {};

  private final List<OutboundPart> parts;
  private final long lengthBytes;
  private final long pendingCostBytes;
  private final Runnable onRelease;

  /**
   * Makes a frame of pieces.
   *
   * @param parts transferred, in wire order
   * @param onRelease run once after the frame was sent, copied by the transport or dropped, and
   *     after the release of its file slices; gives pooled buffers back. It runs on any thread and
   *     must not block
   */
  public OutboundFrame(List<OutboundPart> parts, Runnable onRelease) {
    this.parts = List.copyOf(parts);
    this.onRelease = onRelease;
    long length = 0;
    long cost = FRAME_COST_BYTES;
    for (OutboundPart part : this.parts) {
      long partLength = part.lengthBytes();
      length += partLength;
      cost +=
          part instanceof FileSlice ? Math.min(partLength, FILE_SLICE_COST_BYTES_MAX) : partLength;
    }
    this.lengthBytes = length;
    this.pendingCostBytes = cost;
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

  /**
   * What this frame counts toward the outbound limits of {@link TransportOptions} while it is
   * pending: {@value #FRAME_COST_BYTES}, its bytes in memory, and for each file slice its length
   * but {@value #FILE_SLICE_COST_BYTES_MAX} at most.
   */
  public long pendingCostBytes() {
    return pendingCostBytes;
  }

  /**
   * Releases file slices and buffers; called by the transport, once. All of them are released, also
   * where one throws; the first exception is thrown then.
   */
  public void release() {
    RuntimeException first = null;
    for (OutboundPart part : parts) {
      if (part instanceof FileSlice slice) {
        first = run(slice::release, first);
      }
    }
    first = run(onRelease, first);
    if (first != null) {
      throw first;
    }
  }

  private static @Nullable RuntimeException run(
      Runnable release, @Nullable RuntimeException earlier) {
    try {
      release.run();
      return earlier;
    } catch (RuntimeException e) {
      if (earlier == null) {
        return e;
      }
      earlier.addSuppressed(e);
      return earlier;
    }
  }
}
