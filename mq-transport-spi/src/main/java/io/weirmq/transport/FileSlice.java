package io.weirmq.transport;

import java.nio.channels.FileChannel;
import java.util.Objects;

/**
 * A range of an open file that a transport may send without copying it through the heap.
 *
 * <p>The bytes of the range must not change while the slice is held. {@code release} tells the
 * owner of the file that this slice needs the channel no more; whoever holds the slice calls {@link
 * #release()} exactly once.
 *
 * @param channel open for reading; its position is neither used nor moved
 * @param position first byte of the range in the file, 0 or more
 * @param lengthBytes number of bytes, 0 or more
 * @param onRelease run once when the slice is done with
 */
public record FileSlice(FileChannel channel, long position, long lengthBytes, Runnable onRelease)
    implements OutboundPart {

  /** Checks the range. */
  public FileSlice {
    Objects.requireNonNull(channel, "channel");
    Objects.requireNonNull(onRelease, "onRelease");
    if (position < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "file slice at position " + position + " with length " + lengthBytes);
    }
  }

  /** Tells the owner of the file that this slice is done with. */
  public void release() {
    onRelease.run();
  }
}
