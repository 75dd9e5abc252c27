package io.weirmq.client.ipc;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * is loaded; see the broker's {@code PublishedOffsets}.
 *
 * <p>Somebody may damage the file. Content that was written over ends the entry, as its state is
 * another then; an offset that was loaded before counts only where the state still is the same. A
 * file that was cut makes each load a fault, which the JVM reports at once or in a later call, and
 * what was loaded is worth nothing: whoever wants to believe it looks at {@link #isWhole()}. Not
 * seen through is a writer that changes the offsets alone; then checks of the batches are what is
 * left.
 *
 * <p>Confined to one thread.
 */
final class OffsetsEntry implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OffsetsEntry.class);

  private static final long MAGIC = 0x77656972_6f666673L;
  private static final int ENTRY_BYTES = 64;
  private static final int LAST_STABLE_OFFSET = 16;
  private static final int HIGH_WATERMARK = 24;
  private static final int TOPIC_ID = 32;
  private static final int PARTITION = 48;
  private static final long LIVE = 1;
  private static final long STATE_MASK = 3;

  /** A state that no entry has, but damaged content may have. */
  private static final long NEVER = -1;

  /** Times to ask for the length, where an earlier fault comes between. */
  private static final int ASKED_MAX = 3;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final FileChannel channel;
  private final MappedByteBuffer memory;
  private final String path;
  private final long inode;
  private final int position;
  private final int visibleEndPosition;

  /** The state as long as the entry is ours. */
  private final long liveState;

  private OffsetsEntry(
      FileChannel channel,
      MappedByteBuffer memory,
      String path,
      long inode,
      int position,
      long liveState,
      boolean readCommitted) {
    this.channel = channel;
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
   * @throws IOException where the file is not the one that was named, is damaged, or has no such
   *     entry
   */
  static OffsetsEntry open(
      String path, long inode, int position, UUID topicId, int partition, boolean readCommitted)
      throws IOException {
    FileChannel channel = SegmentFiles.open(Path.of(path), inode);
    try {
      if (position < ENTRY_BYTES
          || position % ENTRY_BYTES != 0
          || channel.size() - ENTRY_BYTES < position) {
        throw new IOException("%s has no entry at %d".formatted(path, position));
      }
      requireMagic(channel, path);
      MappedByteBuffer memory =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, position + (long) ENTRY_BYTES);
      return new OffsetsEntry(
          channel,
          memory,
          path,
          inode,
          position,
          liveState(memory, position, topicId, partition),
          readCommitted);
    } catch (InternalError e) {
      channel.close();
      throw new IOException(path + " was cut while it was opened", e);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Reads it, so that a damaged file costs no mapping. */
  private static void requireMagic(FileChannel channel, String path) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    channel.read(magic, 0);
    if (magic.hasRemaining() || magic.getLong(0) != MAGIC) {
      throw new IOException(path + " holds no offsets");
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
   * Where it is news, {@link #isWhole()} tells whether it may be believed.
   */
  long visibleEnd() {
    try {
      long end = (long) LONG.getAcquire(memory, visibleEndPosition);
      return isLive() ? end : -1; // in this order: see above
    } catch (InternalError e) {
      LOG.debug("{} was cut", path, e);
      return -1;
    }
  }

  /** Whether the broker still keeps it up to date for this partition. */
  boolean isLive() {
    try {
      return liveState != NEVER && (long) LONG.getAcquire(memory, position) == liveState;
    } catch (InternalError e) {
      LOG.debug("{} was cut", path, e);
      return false;
    }
  }

  /**
   * Whether what was loaded so far is right as far as the file's length tells: false where it was
   * cut, or the thread is interrupted, which closes the file. A call into the system.
   */
  boolean isWhole() {
    for (int i = 0; i < ASKED_MAX; i++) {
      try {
        return channel.size() - ENTRY_BYTES >= position;
      } catch (IOException e) {
        LOG.debug("length of {} is unknown", path, e);
        return false;
      } catch (InternalError e) {
        // A call into the system is where the JVM likes to report an earlier fault, once.
        LOG.debug("{} was cut", path, e);
      }
    }
    return false;
  }

  /** Lets go of the file; the entry is not to be used any more. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("{} can't be closed", path, e);
    }
  }

  @Override
  public String toString() {
    return "entry %d of %s".formatted(position / ENTRY_BYTES, path);
  }
}
