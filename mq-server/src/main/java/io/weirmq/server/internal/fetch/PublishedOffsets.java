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
import java.util.ArrayDeque;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
 *        0    8 state             generation &lt;&lt; 2 | 0 not in use, 1 live, 2 ended: ask the broker
 *        8    8 log start offset
 *       16    8 last stable offset
 *       24    8 high watermark
 *       32   16 topic id          more significant half first
 *       48    8 partition
 * </pre>
 *
 * <p>An entry that has ended is given to another partition, under the next generation. Its state
 * becomes live after all else is written. A reader keeps the state that it has found with the topic
 * and partition that it looks for, and loads an offset before it compares the state: where that is
 * the same, the offset is of the same generation. So one that looks too late sees that its entry
 * has ended and nothing else.
 *
 * <p>The file is made when the first direct reader comes. Where that fails it is tried again after
 * {@link #RETRY_NS}, when a reader comes. A killed broker leaves the file behind; the next one
 * replaces it under the same name, and its readers have lost their connection by then.
 *
 * <p>Safe for use by several threads. The offsets and the state of an entry are written under its
 * monitor: at first by the thread that answers its first reader, as a rule an I/O thread, then by
 * the thread of the partition's pipeline; its end by whoever changes the partition's leader or
 * closes this.
 */
public final class PublishedOffsets implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PublishedOffsets.class);

  /** Partitions that can be read directly at once without asking for each record: 1 MiB. */
  static final int ENTRIES_MAX = 16_383;

  static final long MAGIC = 0x77656972_6f666673L;
  static final int ENTRY_BYTES = 64;
  static final int STATE = 0;
  static final int LOG_START_OFFSET = 8;
  static final int LAST_STABLE_OFFSET = 16;
  static final int HIGH_WATERMARK = 24;
  static final int TOPIC_ID = 32;
  static final int PARTITION = 48;
  static final long LIVE = 1;
  static final long ENDED = 2;
  static final int GENERATION_SHIFT = 2;

  /** Time between two attempts to make the file. */
  static final long RETRY_NS = TimeUnit.MINUTES.toNanos(1);

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Place place;
  private final LongSupplier nanoClock;
  private final int entriesMax;
  private final ConcurrentHashMap<Partition, Entry> entries = new ConcurrentHashMap<>();

  // Guarded by this.
  private @Nullable Path path;
  private @Nullable MappedByteBuffer memory;
  private boolean failed;
  private long failedAtNs;
  private boolean closed;
  private int entryCount;
  private long inode;

  /** Of entries that have ended, the one that ended first in front. */
  private final ArrayDeque<Slot> free = new ArrayDeque<>();

  /**
   * Makes it; nothing is on the disk yet.
   *
   * @param place where the file is to be, best in memory; asked when it is needed first
   * @param nanoClock monotonic clock, nanoseconds
   */
  public PublishedOffsets(Place place, LongSupplier nanoClock) {
    this(place, nanoClock, ENTRIES_MAX);
  }

  /** As the other, for fewer partitions at once. */
  PublishedOffsets(Place place, LongSupplier nanoClock, int entriesMax) {
    this.place = place;
    this.nanoClock = nanoClock;
    this.entriesMax = entriesMax;
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
      Slot slot = known != null || target == null ? null : nextSlot();
      if (slot == null || target == null || path == null) {
        return known;
      }
      entry = new Entry(target, path.toString(), inode, slot, partition);
      entries.put(partition, entry);
    }
    partition.addListener(entry);
    entry.onAdvanced(partition);
    if (!partition.isLeader()) {
      entry.onLeadershipChanged(partition);
    }
    return entry;
  }

  /** Room for an entry, with the generation that it gets next; guarded by the offsets' monitor. */
  private record Slot(int position, long generation) {}

  private @Nullable Slot nextSlot() {
    Slot used = free.poll();
    if (used != null) {
      return used;
    }
    if (entryCount == entriesMax) {
      return null;
    }
    entryCount++;
    return new Slot(entryCount * ENTRY_BYTES, 0);
  }

  private synchronized void giveBack(Slot slot) {
    free.add(new Slot(slot.position(), slot.generation() + 1));
  }

  private @Nullable MappedByteBuffer memory() {
    if (closed) {
      return null;
    }
    if (memory == null && (!failed || nanoClock.getAsLong() - failedAtNs >= RETRY_NS)) {
      try {
        Path wanted = place.find();
        MappedByteBuffer made = create(wanted);
        inode = (Long) Files.getAttribute(wanted, "unix:ino");
        path = wanted;
        memory = made;
      } catch (IOException | UnsupportedOperationException e) {
        failed = true;
        failedAtNs = nanoClock.getAsLong();
        LOG.warn(
            "Direct readers ask the broker for each record, as offsets can't be published; tried"
                + " again in a minute",
            e);
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
    private final Slot slot;
    private final int position;

    // Guarded by this: an end must not be written over by an advance that is under way.
    private boolean live;
    private boolean ended;

    Entry(MappedByteBuffer target, String path, long inode, Slot slot, Partition partition) {
      this.target = target;
      this.path = path;
      this.inode = inode;
      this.slot = slot;
      this.position = slot.position();
      UUID topicId = partition.topicId();
      // With release, behind the end of the generation before: a reader that sees these sees that.
      LONG.setRelease(target, position + TOPIC_ID, topicId.getMostSignificantBits());
      LONG.setRelease(target, position + TOPIC_ID + Long.BYTES, topicId.getLeastSignificantBits());
      LONG.setRelease(target, position + PARTITION, (long) partition.topicPartition().partition());
    }

    @Override
    public synchronized void onAdvanced(Partition partition) {
      if (ended) {
        return;
      }
      PartitionLog log = partition.log();
      long highWatermark = log.highWatermark();
      LONG.setRelease(target, position + LOG_START_OFFSET, log.logStartOffset());
      LONG.setRelease(target, position + LAST_STABLE_OFFSET, log.lastStableOffset());
      LONG.setRelease(target, position + HIGH_WATERMARK, highWatermark);
      if (!live) {
        live = true;
        LONG.setRelease(target, position + STATE, state(LIVE));
      }
    }

    /** Readers ask the broker then, and get a new entry where it still leads. */
    @Override
    public void onLeadershipChanged(Partition partition) {
      entries.remove(partition, this);
      partition.removeListener(this);
      if (end()) {
        giveBack(slot);
      }
    }

    /** Returns whether it had not ended before. */
    synchronized boolean end() {
      if (ended) {
        return false; // the entry may be another's by now
      }
      ended = true;
      LONG.setRelease(target, position + STATE, state(ENDED));
      return true;
    }

    private long state(long state) {
      return (slot.generation() << GENERATION_SHIFT) | state;
    }
  }
}
