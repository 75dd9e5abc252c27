package io.weirmq.client.ipc;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The offsets of a partition as the broker publishes them in shared memory.
 *
 * <pre>
 *   file    0  8 magic 0x77656972_6f666673; entries of 64 bytes from 64 on; byte order of the machine
 *   entry   0  8 state: 1 live, 2 ended: ask the broker
 *           8  8 log start offset
 *          16  8 last stable offset
 *          24  8 high watermark, stored last
 * </pre>
 *
 * <p>An entry is never given to another partition. Confined to one thread.
 */
final class OffsetsEntry {

  private static final long MAGIC = 0x77656972_6f666673L;
  private static final int ENTRY_BYTES = 64;
  private static final int LAST_STABLE_OFFSET = 16;
  private static final int HIGH_WATERMARK = 24;
  private static final long LIVE = 1;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final MappedByteBuffer memory;
  private final String path;
  private final long inode;
  private final int position;
  private final int visibleEndPosition;

  private OffsetsEntry(
      MappedByteBuffer memory, String path, long inode, int position, boolean readCommitted) {
    this.memory = memory;
    this.path = path;
    this.inode = inode;
    this.position = position;
    this.visibleEndPosition = position + (readCommitted ? LAST_STABLE_OFFSET : HIGH_WATERMARK);
  }

  /**
   * Maps an entry for reading.
   *
   * @throws IOException where the file is not the one that was named, or has no such entry
   */
  static OffsetsEntry open(String path, long inode, int position, boolean readCommitted)
      throws IOException {
    try (FileChannel channel = SegmentFiles.open(Path.of(path), inode)) {
      if (position < ENTRY_BYTES
          || position % ENTRY_BYTES != 0
          || channel.size() - ENTRY_BYTES < position) {
        throw new IOException("%s has no entry at %d".formatted(path, position));
      }
      MappedByteBuffer memory =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, position + (long) ENTRY_BYTES);
      if ((long) LONG.getAcquire(memory, 0) != MAGIC) {
        throw new IOException(path + " holds no offsets");
      }
      return new OffsetsEntry(memory, path, inode, position, readCommitted);
    }
  }

  boolean isAt(String otherPath, long otherInode, int otherPosition) {
    return inode == otherInode && position == otherPosition && path.equals(otherPath);
  }

  /** The offset below which records may be read, and are in the log; of a live entry. */
  long visibleEnd() {
    return (long) LONG.getAcquire(memory, visibleEndPosition);
  }

  /** Whether the broker still keeps it up to date. */
  boolean isLive() {
    return (long) LONG.getAcquire(memory, position) == LIVE;
  }

  @Override
  public String toString() {
    return "entry %d of %s".formatted(position / ENTRY_BYTES, path);
  }
}
