package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.weirmq.transport.FileSlice;
import io.weirmq.transport.OutboundFrame;
import io.weirmq.transport.OutboundPart;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns frames into writes to the channel. Confined to one thread (the connection's event loop).
 *
 * <p>Small pieces, and the length prefixes, are copied into a staging buffer that many frames
 * share: one entry in a gathering write costs more than copying a few hundred bytes. A frame that
 * was copied whole is released on the spot. Large pieces in memory are written in place and file
 * slices by {@code sendfile}; such a frame is released when its last piece has left or failed.
 */
final class FrameWriter {

  /** Largest piece of direct memory that is copied; above it an entry of its own is cheaper. */
  private static final int COPY_BYTES_MAX = 4 * 1024;

  /** Size at which a staging buffer is written out; a piece on the heap is copied up to this. */
  private static final int STAGING_BYTES_MAX = 64 * 1024;

  private static final int STAGING_BYTES_INITIAL = 512;

  private static final int PREFIX_BYTES = FrameAssembler.PREFIX_BYTES;

  private final ChannelHandlerContext context;
  private final OutboundPath path;
  private @Nullable ByteBuf staging;
  private long stagedCost;
  private int stagingHint = STAGING_BYTES_INITIAL;

  /**
   * Makes the writer of one connection.
   *
   * @param context where to write
   * @param path learns of what has been written or has failed
   */
  FrameWriter(ChannelHandlerContext context, OutboundPath path) {
    this.context = context;
    this.path = path;
  }

  /**
   * Writes a frame, without a flush; its end may stay in the staging buffer until {@link
   * #writeStaged}.
   *
   * @param frame transferred, also where this throws
   * @throws IllegalStateException where a buffer's length is not what it was when the frame was
   *     made
   */
  void write(OutboundFrame frame) {
    boolean handedOn = false;
    try {
      requireUnchanged(frame);
      stage(PREFIX_BYTES).writeInt((int) frame.lengthBytes());
      boolean inPlace = writeParts(frame);
      handedOn = true;
      if (!inPlace) {
        stagedCost += frame.pendingCostBytes();
        path.release(frame);
      } else if (staging != null) {
        writeStaged(frame, frame.pendingCostBytes());
      }
    } finally {
      if (!handedOn) {
        path.release(frame);
        path.settle(frame.pendingCostBytes());
      }
    }
  }

  /** Writes what the staging buffer holds, without a flush. */
  void writeStaged() {
    if (staging != null) {
      writeStaged(null, 0);
    }
  }

  /** Gives the staging buffer back unwritten. */
  void release() {
    if (staging != null) {
      staging.release();
      staging = null;
    }
  }

  /**
   * Copies or writes the pieces. Where the last one is written in place, the frame's release hangs
   * on that write, as writes complete in order; where it was copied, it is in the staging buffer.
   *
   * @return whether any piece was written in place
   */
  private boolean writeParts(OutboundFrame frame) {
    List<OutboundPart> parts = frame.parts();
    int last = parts.size() - 1;
    while (last >= 0 && parts.get(last).lengthBytes() == 0) {
      last--;
    }
    boolean inPlace = false;
    for (int i = 0; i <= last; i++) {
      OutboundPart part = parts.get(i);
      if (part.lengthBytes() == 0) {
        continue;
      }
      if (part instanceof OutboundPart.Bytes bytes && isCopied(bytes.buffer())) {
        stage(bytes.buffer().remaining()).writeBytes(bytes.buffer());
      } else {
        inPlace = true;
        writeStaged();
        writeInPlace(part, i == last ? frame : null);
      }
    }
    return inPlace;
  }

  private void writeInPlace(OutboundPart part, @Nullable OutboundFrame endOf) {
    Object message =
        part instanceof FileSlice slice
            ? FileRegions.of(slice)
            : Unpooled.wrappedBuffer(((OutboundPart.Bytes) part).buffer());
    if (endOf == null) {
      context.write(message, context.voidPromise());
    } else {
      context.write(message).addListener(new Completion(endOf, endOf.pendingCostBytes()));
    }
  }

  private static void requireUnchanged(OutboundFrame frame) {
    long length = 0;
    for (OutboundPart part : frame.parts()) {
      length += part.lengthBytes();
    }
    if (length != frame.lengthBytes()) {
      throw new IllegalStateException(
          "frame of %d bytes changed by %d after it was sent"
              .formatted(frame.lengthBytes(), length - frame.lengthBytes()));
    }
  }

  private static boolean isCopied(ByteBuffer content) {
    return content.remaining() <= (content.isDirect() ? COPY_BYTES_MAX : STAGING_BYTES_MAX);
  }

  private void writeStaged(@Nullable OutboundFrame endOf, long cost) {
    ByteBuf content = staging;
    if (content == null) {
      return;
    }
    staging = null;
    stagingHint = Math.max(content.readableBytes(), STAGING_BYTES_INITIAL);
    long settled = stagedCost + cost;
    stagedCost = 0;
    context.write(content).addListener(new Completion(endOf, settled));
  }

  /** Returns the staging buffer with room for so many bytes. */
  private ByteBuf stage(int bytes) {
    ByteBuf current = staging;
    if (current != null && current.readableBytes() + bytes > STAGING_BYTES_MAX) {
      writeStaged();
      current = null;
    }
    if (current == null) {
      current = context.alloc().directBuffer(Math.max(bytes, stagingHint));
      staging = current;
    }
    return current;
  }

  /** Follows one write. */
  private final class Completion implements ChannelFutureListener {

    private final @Nullable OutboundFrame endOf;
    private final long cost;

    Completion(@Nullable OutboundFrame endOf, long cost) {
      this.endOf = endOf;
      this.cost = cost;
    }

    @Override
    public void operationComplete(ChannelFuture write) {
      if (endOf != null) {
        path.release(endOf);
      }
      path.settle(cost);
      if (!write.isSuccess()) {
        path.writeFailed(write.cause());
      }
    }
  }
}
