package io.weirmq.transport.netty.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Lets the event loop read into the buffer of a {@link FrameAssembler} instead of a fresh one, so
 * that large frames need no copy. Confined to one thread (the connection's event loop).
 */
final class ReadBufferHandle implements RecvByteBufAllocator.ExtendedHandle {

  /** Reads per turn of the loop; other connections of the loop wait meanwhile. */
  private static final int READS_MAX = 16;

  private final FrameAssembler assembler;
  private ChannelConfig config;
  private int reads;
  private long totalBytes;
  private int attemptedBytes;
  private int lastBytes;
  private boolean filled;

  ReadBufferHandle(FrameAssembler assembler, ChannelConfig config) {
    this.assembler = assembler;
    this.config = config;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator ignored) {
    return assembler.room();
  }

  @Override
  public int guess() {
    return assembler.readBytes();
  }

  @Override
  public void reset(ChannelConfig newConfig) {
    config = newConfig;
    reads = 0;
    totalBytes = 0;
    filled = false;
  }

  @Override
  public void incMessagesRead(int count) {
    reads += count;
  }

  @Override
  public void lastBytesRead(int bytes) {
    lastBytes = bytes;
    if (bytes > 0) {
      totalBytes += bytes;
      filled |= bytes == attemptedBytes;
    }
  }

  @Override
  public int lastBytesRead() {
    return lastBytes;
  }

  @Override
  public void attemptedBytesRead(int bytes) {
    attemptedBytes = bytes;
  }

  @Override
  public int attemptedBytesRead() {
    return attemptedBytes;
  }

  @Override
  public boolean continueReading() {
    return continueReading(() -> attemptedBytes == lastBytes);
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
    return config.isAutoRead() && totalBytes > 0 && reads < READS_MAX && maybeMore.get();
  }

  @Override
  public void readComplete() {
    // The connection ends the series itself, once it has taken out the frames.
  }

  /** Tells the assembler that a series of reads has ended. */
  void seriesEnded() {
    assembler.readsEnded(totalBytes, filled);
    totalBytes = 0;
    filled = false;
  }
}
