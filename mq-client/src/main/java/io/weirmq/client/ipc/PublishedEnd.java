package io.weirmq.client.ipc;

import io.weirmq.protocol.message.DirectReadResponse;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far a partition may be read, as the broker that leads it publishes it; nothing where it
 * publishes nothing, or what it has published can't be used: then it is to be asked.
 *
 * <p>Confined to the subscriber's thread.
 */
final class PublishedEnd implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PublishedEnd.class);

  /** Time between two looks whether all is in place, where no record comes. */
  private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private final LongSupplier nanoClock;
  private final int partition;
  private final boolean readCommitted;
  private final String name;

  private @Nullable OffsetsEntry entry;

  /** Whether the last answer named none that can be used; never beside an entry. */
  private boolean refused;

  private boolean damageTold;
  private long lastLookNs;

  /**
   * Knows of nothing that is published yet.
   *
   * @param nanoClock monotonic, in nanoseconds
   * @param readCommitted whether it is the last stable offset, else the high watermark
   * @param name of the subscriber, for messages
   */
  PublishedEnd(LongSupplier nanoClock, int partition, boolean readCommitted, String name) {
    this.nanoClock = nanoClock;
    this.partition = partition;
    this.readCommitted = readCommitted;
    this.name = name;
  }

  /** Whether something is published, and kept up to date for this partition. */
  boolean isLive() {
    return entry != null && entry.isLive();
  }

  /**
   * The offset below which records may be read, and are in the log; -1 where nothing is live. Where
   * it is news, {@link #dropIfCut()} tells whether it may be believed.
   */
  long offset() {
    return entry == null ? -1 : entry.visibleEnd();
  }

  /** Whether the broker alone can tell when there is more, until it has named an entry. */
  boolean isSilent() {
    boolean live = isLive();
    return (dropIfCut() || entry == null) ? refused : !live;
  }

  /** Whether it is time to see that all is in place; true once in ten milliseconds. */
  boolean isLookDue() {
    long nowNs = nanoClock.getAsLong();
    if (nowNs - lastLookNs < LOOK_INTERVAL_NS) {
      return false;
    }
    lastLookNs = nowNs;
    return true;
  }

  /**
   * Lets go of it where its file was cut.
   *
   * @return whether it was
   */
  boolean dropIfCut() {
    if (entry == null || entry.isWhole()) {
      return false;
    }
    drop();
    return true;
  }

  /** Forgets what was published: the broker is asked until it names an entry again. */
  void drop() {
    if (entry != null) {
      entry.close();
      entry = null;
    }
  }

  /**
   * Follows the entry that an answer names.
   *
   * @throws ClosedByInterruptException where the thread was interrupted
   */
  void follow(DirectReadResponse facts) throws ClosedByInterruptException {
    String path = facts.offsetsPath();
    refused = path.isEmpty();
    if (refused) {
      drop();
    } else if (entry == null
        || !entry.isLive()
        || !entry.isAt(path, facts.offsetsInode(), facts.offsetsPosition())) {
      drop();
      open(facts);
    }
  }

  private void open(DirectReadResponse facts) throws ClosedByInterruptException {
    try {
      entry =
          OffsetsEntry.open(
              facts.offsetsPath(),
              facts.offsetsInode(),
              facts.offsetsPosition(),
              facts.topicId(),
              partition,
              readCommitted);
    } catch (NoSuchFileException e) {
      refused = true; // the broker has ended, or sees another file system
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      refused = true;
      if (!damageTold) {
        damageTold = true;
        LOG.warn(
            "{} asks the broker for each record, as its published offsets can't be used: {}",
            name,
            e.getMessage());
      }
    }
  }

  /** Lets go of the file. */
  @Override
  public void close() {
    drop();
  }
}
