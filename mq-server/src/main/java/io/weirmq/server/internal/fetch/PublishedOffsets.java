package io.weirmq.server.internal.fetch;

import io.weirmq.protocol.message.DirectReadResponse;
import io.weirmq.replication.Partition;
import io.weirmq.replication.PartitionListener;
import io.weirmq.storage.PartitionLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The offsets of partitions that are read directly, in a file that their readers map: a reader that
 * keeps up sees a new record without a request, and costs the broker three stores and a look at the
 * file's length per batch of appends.
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
 * <p>An entry ends with the partition's leadership, and where no reader has asked for it for {@link
 * #IDLE_NS}: readers that sleep ask each few seconds, and one that keeps up without ever sleeping
 * sees the end, asks, and has an entry again. The idle are looked for at each append and when there
 * is no line left.
 *
 * <p>An entry that has ended is given to another partition, under the next generation. Its state
 * becomes live after all else is written. A reader keeps the state that it has found with the topic
 * and partition that it looks for, and loads an offset before it compares the state: where that is
 * the same, the offset is of the same generation. So one that looks too late sees that its entry
 * has ended and nothing else.
 *
 * <p>The file is made when the first direct reader comes. Where that fails it is tried again after
 * {@link #RETRY_NS}, when a reader comes. Where its name has gone or is another file's, as new
 * readers would find, all entries end and it is made anew; that is looked at when a reader asks,
 * each {@link #LOOK_NS} at most. A killed broker leaves the file behind; the next one of the same
 * data replaces it under the same name, and its readers have lost their connection by then.
 *
 * <p>Where somebody has cut the file, nothing is published any more until the broker starts again:
 * entries end where the file still has them, and readers are told of no file, so that they ask the
 * broker. Its length is looked at before each group of stores. What is left: the file may be cut
 * between look and store, and the JVM may report that fault in other work of the thread. Only the
 * broker's own user can do so, who could end the process as well. Damaged content needs no act: the
 * broker never reads it, and a reader whose entry is not as it was asks.
 *
 * <p>Safe for use by several threads. The offsets and the state of an entry are written under its
 * monitor: at first by the thread that answers its first reader, as a rule an I/O thread, then by
 * the thread of the partition's pipeline; its end by whoever changes the partition's leader, finds
 * it idle or the file lost, or closes this.
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

  /** Time between two attempts to make the file, and two to find idle entries for lack of lines. */
  static final long RETRY_NS = TimeUnit.MINUTES.toNanos(1);

  /** Time between two looks whether the file still has its name. */
  static final long LOOK_NS = TimeUnit.SECONDS.toNanos(10);

  /** An entry ends that no reader has asked for so long. */
  static final long IDLE_NS = TimeUnit.MINUTES.toNanos(10);

  private final Place place;
  private final LongSupplier nanoClock;
  private final int entriesMax;
  private final ConcurrentHashMap<Partition, Entry> entries = new ConcurrentHashMap<>();

  // Guarded by this.
  private @Nullable OffsetsFile file;
  private boolean failed;
  private long failedAtNs;
  private boolean closed;
  private int lineCount;
  private long sweptAtNs;

  /** Written under this object's monitor, read by any thread. */
  private volatile long lookedAtNs;

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
    this.sweptAtNs = nanoClock.getAsLong();
    this.lookedAtNs = sweptAtNs;
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

  /**
   * Returns the name of the file for a data folder. It is that of the folder's device and inode: a
   * broker replaces what its killed predecessor left, and brokers of two containers that share a
   * runtime folder don't meet, whatever path each of them knows its data by. Two brokers of one
   * data folder are kept apart by its lock.
   *
   * @throws IOException where the folder can't be looked at
   */
  public static String fileName(Path data) throws IOException {
    long device = (Long) Files.getAttribute(data, "unix:dev");
    long inode = (Long) Files.getAttribute(data, "unix:ino");
    return "offsets-%x-%x".formatted(device, inode);
  }

  /** Tells a client where the offsets of a partition are, if they are anywhere. */
  void describe(Partition partition, DirectReadResponse response) {
    long nowNs = nanoClock.getAsLong();
    if (nowNs - lookedAtNs >= LOOK_NS) {
      dropLostFile(nowNs);
    }
    Entry entry = entries.get(partition);
    if (entry == null) {
      entry = begin(partition, nowNs);
    }
    if (entry != null && !entry.target.isGivenUp()) {
      entry.askedAtNs = nowNs;
      response
          .setOffsetsPath(entry.target.path().toString())
          .setOffsetsInode(entry.target.inode())
          .setOffsetsPosition(entry.position);
    }
  }

  /** The partitions whose offsets are published now. */
  public int entryCount() {
    return entries.size();
  }

  /** Ends the entries of a file that new readers can't find. */
  private synchronized void dropLostFile(long nowNs) {
    lookedAtNs = nowNs;
    OffsetsFile lost = file;
    if (closed || lost == null || lost.isGivenUp() || lost.isNamed()) {
      return;
    }
    LOG.warn(
        "{} was removed or replaced by another file; it is made anew, and direct readers are told",
        lost.path());
    entries.forEach((partition, entry) -> entry.stop(partition));
    file = null;
    free.clear();
    lineCount = 0;
    try {
      lost.close();
    } catch (IOException e) {
      LOG.debug("{} can't be closed", lost.path(), e);
    }
  }

  private @Nullable Entry begin(Partition partition, long nowNs) {
    Entry entry;
    synchronized (this) {
      Entry known = entries.get(partition);
      OffsetsFile target = file();
      if (known != null || target == null || !target.isWhole()) {
        return known;
      }
      Slot slot = nextSlot(nowNs);
      if (slot == null) {
        return null;
      }
      entry = new Entry(target, slot, nowNs);
      if (!entry.name(partition)) {
        return null;
      }
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

  private @Nullable Slot nextSlot(long nowNs) {
    if (free.isEmpty() && lineCount == entriesMax && nowNs - sweptAtNs >= RETRY_NS) {
      sweptAtNs = nowNs;
      entries.forEach(
          (partition, entry) -> {
            if (entry.isIdle(nowNs)) {
              entry.stop(partition);
            }
          });
    }
    Slot used = free.poll();
    if (used != null || lineCount == entriesMax) {
      return used;
    }
    lineCount++;
    return new Slot(lineCount * ENTRY_BYTES, 0);
  }

  private synchronized void giveBack(OffsetsFile target, Slot slot) {
    if (target == file) {
      free.add(new Slot(slot.position(), slot.generation() + 1));
    }
  }

  private @Nullable OffsetsFile file() {
    if (closed) {
      return null;
    }
    if (file == null && (!failed || nanoClock.getAsLong() - failedAtNs >= RETRY_NS)) {
      try {
        file = OffsetsFile.create(place.find(), (ENTRIES_MAX + 1) * ENTRY_BYTES);
      } catch (IOException | UnsupportedOperationException e) {
        failed = true;
        failedAtNs = nanoClock.getAsLong();
        LOG.warn(
            "Direct readers ask the broker for each record, as offsets can't be published; tried"
                + " again in a minute",
            e);
      }
    }
    return file;
  }

  /** Ends all entries and removes the file. Closing again does nothing. */
  @Override
  public void close() throws IOException {
    OffsetsFile made;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      made = file;
    }
    entries.forEach(
        (partition, entry) -> {
          partition.removeListener(entry);
          entry.end();
        });
    entries.clear();
    if (made != null) {
      made.close();
    }
  }

  /** The offsets of one partition. */
  private final class Entry implements PartitionListener {

    private final OffsetsFile target;
    private final Slot slot;
    private final int position;

    // Guarded by this: an end must not be written over by an advance that is under way.
    private boolean live;
    private boolean ended;

    private volatile long askedAtNs;

    Entry(OffsetsFile target, Slot slot, long askedAtNs) {
      this.target = target;
      this.slot = slot;
      this.position = slot.position();
      this.askedAtNs = askedAtNs;
    }

    boolean isIdle(long nowNs) {
      return nowNs - askedAtNs >= IDLE_NS;
    }

    /** Stores whose offsets these are; returns false where the file has been given up. */
    boolean name(Partition partition) {
      UUID topicId = partition.topicId();
      try {
        // With release, behind the end of the generation before: a reader that sees these sees
        // that.
        target.setRelease(position + TOPIC_ID, topicId.getMostSignificantBits());
        target.setRelease(position + TOPIC_ID + Long.BYTES, topicId.getLeastSignificantBits());
        target.setRelease(position + PARTITION, partition.topicPartition().partition());
        return true;
      } catch (InternalError e) {
        target.giveUp(e);
        return false;
      }
    }

    @Override
    public void onAdvanced(Partition partition) {
      if (isIdle(nanoClock.getAsLong())) {
        stop(partition);
      } else if (!publish(partition.log())) {
        entries.remove(partition, this);
        partition.removeListener(this);
        end();
      }
    }

    /** Stores the offsets, unless it has ended; returns false where the file has been given up. */
    private synchronized boolean publish(PartitionLog log) {
      if (ended) {
        return true;
      }
      if (!target.isWhole()) {
        return false;
      }
      try {
        long highWatermark = log.highWatermark();
        target.setRelease(position + LOG_START_OFFSET, log.logStartOffset());
        target.setRelease(position + LAST_STABLE_OFFSET, log.lastStableOffset());
        target.setRelease(position + HIGH_WATERMARK, highWatermark);
        if (!live) {
          live = true;
          target.setRelease(position + STATE, state(LIVE));
        }
        return true;
      } catch (InternalError e) {
        target.giveUp(e);
        return false;
      }
    }

    @Override
    public void onLeadershipChanged(Partition partition) {
      stop(partition);
    }

    /** Ends it. Readers ask the broker then, and get a new entry where it still leads. */
    void stop(Partition partition) {
      entries.remove(partition, this);
      partition.removeListener(this);
      if (end()) {
        giveBack(target, slot);
      }
    }

    /** Returns whether it had not ended before. */
    synchronized boolean end() {
      if (ended) {
        return false; // the entry may be another's by now
      }
      ended = true;
      try {
        if (target.isWhole()) {
          target.setRelease(position + STATE, state(ENDED));
          return true;
        }
      } catch (InternalError e) {
        target.giveUp(e);
      }
      // What the cut has left of the file must not look alive for ever.
      target.writeIfThere(position + STATE, state(ENDED));
      return true;
    }

    private long state(long state) {
      return (slot.generation() << GENERATION_SHIFT) | state;
    }
  }
}
