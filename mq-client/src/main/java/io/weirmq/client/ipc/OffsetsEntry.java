package io.weirmq.client.ipc;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The offsets of a partition as the broker publishes them in shared memory.
 *
 * <pre>
 *   file    0  8 magic 0x77656972_6f666673; entries of 64 bytes from 64 on; byte order of the machine
 *   entry   0  8 state: generation &lt;&lt; 2 | 1 live, 2 ended: ask the broker
 *           8  8 log start offset
 *          16  8 last stable offset
 *          24  8 high watermark
 *          32 16 topic id
 *          48  8 partition
 * </pre>
 *
 * <p>The broker gives an entry that has ended to another partition, under the next generation. So
 * the state is compared with the one that was found when topic and partition were, after an offset
 * is loaded; see the broker's {@code PublishedOffsets}. Confined to one thread.
 */
final class OffsetsEntry {

  private static final long MAGIC = 0x77656972_6f666673L;
  private static final int ENTRY_BYTES = 64;
  private static final int LAST_STABLE_OFFSET = 16;
  private static final int HIGH_WATERMARK = 24;
  private static final int TOPIC_ID = 32;
  private static final int PARTITION = 48;
  private static final long LIVE = 1;
  private static final long STATE_MASK = 3;

  /** A state that no entry has. */
  private static final long NEVER = -1;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final MappedByteBuffer memory;
  private final String path;
  private final long inode;
  private final int position;
  private final int visibleEndPosition;

  /** The state as long as the entry is ours. */
  private final long liveState;

  private OffsetsEntry(
      MappedByteBuffer memory,
      String path,
      long inode,
      int position,
      long liveState,
      boolean readCommitted) {
    this.memory = memory;
    this.path = path;
    this.inode = inode;
    this.position = position;
    this.liveState = liveState;
    this.visibleEndPosition = position + (readCommitted ? LAST_STABLE_OFFSET : HIGH_WATERMARK);
  }

  /**
   * Maps an entry for reading. It is not live where the broker has not begun it yet, or has given
   * it to another partition.
   *
   * @throws IOException where the file is not the one that was named, or has no such entry
   */
  static OffsetsEntry open(
      String path, long inode, int position, UUID topicId, int partition, boolean readCommitted)
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
      return new OffsetsEntry(
          memory,
          path,
          inode,
          position,
          liveState(memory, position, topicId, partition),
          readCommitted);
    }
  }

  private static long liveState(
      MappedByteBuffer memory, int position, UUID topicId, int partition) {
    long state = (long) LONG.getAcquire(memory, position);
    boolean ours =
        (state & STATE_MASK) == LIVE
            && (long) LONG.getAcquire(memory, position + TOPIC_ID)
                == topicId.getMostSignificantBits()
            && (long) LONG.getAcquire(memory, position + TOPIC_ID + Long.BYTES)
                == topicId.getLeastSignificantBits()
            && (long) LONG.getAcquire(memory, position + PARTITION) == partition;
    // Of a generation that ends meanwhile the state is compared at each look.
    return ours ? state : NEVER;
  }

  boolean isAt(String otherPath, long otherInode, int otherPosition) {
    return inode == otherInode && position == otherPosition && path.equals(otherPath);
  }

  /**
   * The offset below which records may be read, and are in the log; -1 where the entry is not live.
   */
  long visibleEnd() {
    long end = (long) LONG.getAcquire(memory, visibleEndPosition);
    return isLive() ? end : -1; // in this order: see above
  }

  /** Whether the broker still keeps it up to date for this partition. */
  boolean isLive() {
    return (long) LONG.getAcquire(memory, position) == liveState;
  }

  @Override
  public String toString() {
    return "entry %d of %s".formatted(position / ENTRY_BYTES, path);
  }
}
