package io.weirmq.storage.internal.log;

import io.weirmq.storage.LogSlice;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A slice without bytes, which holds no file. */
final class EmptySlice implements LogSlice {

  private final long offset;

  EmptySlice(long offset) {
    this.offset = offset;
  }

  @Override
  public long firstOffset() {
    return offset;
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  public int lengthBytes() {
    return 0;
  }

  @Override
  public FileChannel channel() {
    throw new IllegalStateException("an empty slice has no file");
  }

  @Override
  public void readFully(ByteBuffer target) {
    // There is nothing to copy.
  }

  @Override
  public void release() {
    // There is nothing to give back.
  }

  @Override
  public String toString() {
    return "nothing at offset " + offset;
  }
}
