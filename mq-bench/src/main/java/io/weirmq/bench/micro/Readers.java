package io.weirmq.bench.micro;

import io.weirmq.storage.LogSlice;
import io.weirmq.storage.PartitionLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read at random offsets of a log, at a steady pace each, so that they take little of
 * a processor: what they cost the writer is then what they hold, not the time they are given.
 * Closing waits for their end.
 */
final class Readers implements AutoCloseable {

  private static final int FETCH_BYTES = 16 * 1024;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong reads = new AtomicLong();
  private volatile boolean closed;
  private volatile @Nullable IOException failure;

  /**
   * Starts the threads.
   *
   * @param perSecond reads of each
   */
  Readers(PartitionLog log, int count, int perSecond) {
    long intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    for (int i = 0; i < count; i++) {
      int seed = i;
      Thread thread = new Thread(() -> read(log, intervalNanos, seed), "bench-reader-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void read(PartitionLog log, long intervalNanos, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ByteBuffer target = ByteBuffer.allocateDirect(2 * FETCH_BYTES);
    long due = System.nanoTime();
    while (!closed) {
      long end = log.highWatermark();
      if (end > 0) {
        try {
          LogSlice slice = log.read(random.nextLong(end), FETCH_BYTES, end, true);
          slice.readFully(target.clear());
          slice.release();
          reads.incrementAndGet();
        } catch (IOException e) {
          failure = e;
          return;
        }
      }
      due += intervalNanos;
      LockSupport.parkNanos(due - System.nanoTime());
    }
  }

  /** Reads made so far. */
  long count() {
    return reads.get();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while readers end", e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
