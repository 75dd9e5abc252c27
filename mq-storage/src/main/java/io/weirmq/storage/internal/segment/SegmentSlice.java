package io.weirmq.storage.internal.segment;

import io.weirmq.storage.LogSlice;
import io.weirmq.storage.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.OptionalLong;

/** A range of a segment that holds the segment open. Confined to one thread at a time. */
public final class SegmentSlice implements LogSlice {

  private final OpenSegment segment;
  private final int position;
  private final int lengthBytes;
  private final long firstOffset;
  private boolean released;

  /**
   * Makes a slice.
   *
   * @param segment retained for the slice, which releases it
   */
  public SegmentSlice(OpenSegment segment, int position, int lengthBytes, long firstOffset) {
    this.segment = segment;
    this.position = position;
    this.lengthBytes = lengthBytes;
    this.firstOffset = firstOffset;
  }

  @Override
  public long firstOffset() {
    return firstOffset;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public FileChannel channel() {
    return segment.log().channel();
  }

  @Override
  public void readFully(ByteBuffer target) throws IOException {
    if (released) {
      throw new IllegalStateException("the slice was released: " + this);
    }
    int limit = target.limit();
    target.limit(target.position() + lengthBytes);
    try {
      segment.log().readFully(target, position);
    } finally {
      target.limit(limit);
    }
  }

  @Override
  public Optional<SegmentFile> file() {
    OptionalLong inode = segment.log().inode();
    return inode.isPresent()
        ? Optional.of(new SegmentFile(segment.log().path(), inode.getAsLong()))
        : Optional.empty();
  }

  @Override
  public void release() {
    if (released) {
      throw new IllegalStateException("the slice was released before: " + this);
    }
    released = true;
    segment.release();
  }

  @Override
  public String toString() {
    return "%s at position %d, %d bytes from offset %d"
        .formatted(segment.log().path(), position, lengthBytes, firstOffset);
  }
}
