package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.replication.Partition;
import io.weirmq.replication.PartitionListener;
import io.weirmq.storage.PartitionLog;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets of partitions that are read directly, in a file that their readers map: a reader that
 * keeps up sees a new record without a request, and costs the broker three stores per batch of
 * appends.
 *
 * <pre>
 *   offset size field             (in the byte order of the machine)
 *        0    8 magic             0x77656972_6f666673
 *        8   56 nothing
 *       64    … entries of 64 bytes, so that two partitions never share a line of the cache
 *
 *   in an entry
 *        0    8 state             0 not in use, 1 live, 2 ended: ask the broker
 *        8    8 log start offset
 *       16    8 last stable offset
 *       24    8 high watermark    stored last, with release
 * </pre>
 *
 * <p>An entry is never given to another partition as long as the broker runs, so that a reader who
 * looks too late sees that it has ended and nothing else. The file is made when the first direct
 * reader comes. A killed broker leaves it behind; the next one replaces it under the same name, and
 * its readers have lost their connection by then.
 *
 * <p>Safe for use by several threads. Each entry is written by the thread of the partition's
 * pipeline.
 */
public final class PublishedOffsets implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PublishedOffsets.class);

  /** Partitions that can be read directly without asking for each record: 1 MiB of memory. */
  static final int ENTRIES_MAX = 16_383;

  static final long MAGIC = 0x77656972_6f666673L;
  static final int ENTRY_BYTES = 64;
  static final int STATE = 0;
  static final int LOG_START_OFFSET = 8;
  static final int LAST_STABLE_OFFSET = 16;
  static final int HIGH_WATERMARK = 24;
  static final long LIVE = 1;
  static final long ENDED = 2;

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Place place;
  private final ConcurrentHashMap<Partition, Entry> entries = new ConcurrentHashMap<>();

  // Guarded by this.
  private @Nullable Path path;
  private @Nullable MappedByteBuffer memory;
  private boolean failed;
  private boolean closed;
  private int entryCount;
  private long inode;

  /**
   * Makes it; nothing is on the disk yet.
   *
   * @param place where the file is to be, best in memory; asked when it is needed first
   */
  public PublishedOffsets(Place place) {
    this.place = place;
  }

  /** Says where the file is to be. */
  @FunctionalInterface
  public interface Place {

    /**
     * Returns the file's path; its folder exists and is closed to others.
     *
     * @throws IOException where there is no such folder
     */
    Path find() throws IOException;
  }

  /** Tells a client where the offsets of a partition are, if they are anywhere. */
  void describe(Partition partition, DirectReadResponse response) {
    Entry entry = entries.get(partition);
    if (entry == null) {
      entry = begin(partition);
    }
    if (entry != null) {
      response
          .setOffsetsPath(entry.path)
          .setOffsetsInode(entry.inode)
          .setOffsetsPosition(entry.position);
    }
  }

  private @Nullable Entry begin(Partition partition) {
    Entry entry;
    synchronized (this) {
      Entry known = entries.get(partition);
      MappedByteBuffer target = memory();
      if (known != null || target == null || path == null || entryCount == ENTRIES_MAX) {
        return known;
      }
      entryCount++;
      entry = new Entry(target, path.toString(), inode, entryCount * ENTRY_BYTES);
      entries.put(partition, entry);
    }
    partition.addListener(entry);
    entry.onAdvanced(partition);
    if (!partition.isLeader()) {
      entry.onLeadershipChanged(partition);
    }
    return entry;
  }

  private @Nullable MappedByteBuffer memory() {
    if (closed) {
      return null;
    }
    if (memory == null && !failed) {
      try {
        Path wanted = place.find();
        MappedByteBuffer made = create(wanted);
        inode = (Long) Files.getAttribute(wanted, "unix:ino");
        path = wanted;
        memory = made;
      } catch (IOException | UnsupportedOperationException e) {
        failed = true;
        LOG.warn("Direct readers ask the broker for each record, as offsets can't be published", e);
      }
    }
    return memory;
  }

  private static MappedByteBuffer create(Path path) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    MappedByteBuffer mapped;
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer zeros = ByteBuffer.allocate((ENTRIES_MAX + 1) * ENTRY_BYTES);
      // Written, not only sized: where memory is short this fails here and not by a signal later.
      while (zeros.hasRemaining()) {
        channel.write(zeros, zeros.position());
      }
      mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, zeros.capacity());
    }
    LONG.setRelease(mapped, 0, MAGIC);
    Files.move(
        fresh,
        path,
        java.nio.file.StandardCopyOption.ATOMIC_MOVE,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    return mapped;
  }

  /** Ends all entries and removes the file. Closing again does nothing. */
  @Override
  public void close() throws IOException {
    Path file;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      file = path;
    }
    entries.forEach(
        (partition, entry) -> {
          partition.removeListener(entry);
          entry.end();
        });
    entries.clear();
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }

  /** The offsets of one partition. */
  private final class Entry implements PartitionListener {

    private final MappedByteBuffer target;
    private final String path;
    private final long inode;
    private final int position;

    // Guarded by this: an end must not be written over by an advance that is under way.
    private boolean ended;

    Entry(MappedByteBuffer target, String path, long inode, int position) {
      this.target = target;
      this.path = path;
      this.inode = inode;
      this.position = position;
    }

    @Override
    public synchronized void onAdvanced(Partition partition) {
      if (ended) {
        return;
      }
      PartitionLog log = partition.log();
      long highWatermark = log.highWatermark();
      LONG.setOpaque(target, position + LOG_START_OFFSET, log.logStartOffset());
      LONG.setRelease(target, position + LAST_STABLE_OFFSET, log.lastStableOffset());
      LONG.setRelease(target, position + STATE, LIVE);
      LONG.setRelease(target, position + HIGH_WATERMARK, highWatermark);
    }

    /** Readers ask the broker then, and get a new entry where it still leads. */
    @Override
    public void onLeadershipChanged(Partition partition) {
      entries.remove(partition, this);
      partition.removeListener(this);
      end();
    }

    synchronized void end() {
      ended = true;
      LONG.setRelease(target, position + STATE, ENDED);
    }
  }
}
