package io.weirmq.transport.shm.internal.folder;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts mappings, as the JDK unmaps one when the garbage collector finds that nobody refers to it,
 * and not before. Safe for use by several threads.
 *
 * <p>A closed connection lets go of its mapping. On a quiet heap no collection may come for a long
 * time, and the memory of dead connections would pile up; so above a limit a collection is asked
 * for, and also where the file system has no room for one more connection.
 */
public final class MappingLedger {

  private static final Logger LOG = LoggerFactory.getLogger(MappingLedger.class);

  /** Memory of closed connections that may wait for the collector, in bytes. */
  public static final long CLOSED_BYTES_MAX = 256L * 1024 * 1024;

  /** Closed mappings that may wait for the collector; the system allows some 65,000 per process. */
  public static final int CLOSED_COUNT_MAX = 1_000;

  /** How long {@link #awaitUnmapping} waits at most, in milliseconds. */
  private static final long UNMAPPING_MILLIS = 10;

  private final Runnable collection;
  private final long closedBytesMax;
  private final ReferenceQueue<ByteBuffer> collected = new ReferenceQueue<>();
  private final Map<Reference<?>, Long> mapped = new HashMap<>();
  private long mappedBytes;
  private long usedBytes;
  private int used;
  private long closedBytesSinceCollection;
  private int closedSinceCollection;

  /**
   * Makes an empty ledger.
   *
   * @param collection asks for a garbage collection
   * @param closedBytesMax {@link #CLOSED_BYTES_MAX} but in tests
   */
  public MappingLedger(Runnable collection, long closedBytesMax) {
    this.collection = collection;
    this.closedBytesMax = closedBytesMax;
  }

  /** Makes the ledger of a transport. */
  public static MappingLedger create() {
    return new MappingLedger(System::gc, CLOSED_BYTES_MAX);
  }

  /** Enters a mapping that is in use. */
  public void mapped(ByteBuffer memory) {
    boolean collect;
    synchronized (this) {
      long bytes = memory.capacity();
      mapped.put(new PhantomReference<>(memory, collected), bytes);
      mappedBytes += bytes;
      usedBytes += bytes;
      used++;
      removeCollected();
      // Only what was closed since the last time counts, so that mappings that something else
      // keeps alive do not lead to a collection for each new one.
      collect =
          (mappedBytes - usedBytes > closedBytesMax
                  && closedBytesSinceCollection > closedBytesMax / 2)
              || (mapped.size() - used > CLOSED_COUNT_MAX
                  && closedSinceCollection > CLOSED_COUNT_MAX / 2);
      if (collect) {
        LOG.debug(
            "{} closed mappings with {} bytes wait for the collector",
            mapped.size() - used,
            mappedBytes - usedBytes);
        closedBytesSinceCollection = 0;
        closedSinceCollection = 0;
      }
    }
    if (collect) {
      collection.run();
    }
  }

  /**
   * Asks for a collection where memory is short. Does nothing where no mapping was closed since the
   * last time, so that a peer can't ask without end.
   *
   * @return whether there was one
   */
  public boolean collect() {
    synchronized (this) {
      removeCollected();
      if (closedSinceCollection == 0 || mapped.size() == used) {
        return false;
      }
      closedBytesSinceCollection = 0;
      closedSinceCollection = 0;
    }
    collection.run();
    return true;
  }

  /**
   * Waits a moment for the thread that unmaps what a collection has found, which is that which
   * enters it into the queue of this ledger.
   */
  public void awaitUnmapping() {
    try {
      Reference<?> reference = collected.remove(UNMAPPING_MILLIS);
      if (reference != null) {
        forget(reference);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Notes that a mapping is not used any more. */
  public synchronized void closed(long bytes) {
    usedBytes -= bytes;
    used--;
    closedBytesSinceCollection += bytes;
    closedSinceCollection++;
  }

  /** Closed mappings that the collector has not found yet. */
  public synchronized int closedCount() {
    removeCollected();
    return mapped.size() - used;
  }

  private void removeCollected() {
    Reference<?> reference;
    while ((reference = collected.poll()) != null) {
      forget(reference);
    }
  }

  private synchronized void forget(Reference<?> reference) {
    Long bytes = mapped.remove(reference);
    if (bytes != null) {
      mappedBytes -= bytes;
    }
  }
}
