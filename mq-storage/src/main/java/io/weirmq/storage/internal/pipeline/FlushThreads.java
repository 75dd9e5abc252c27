package io.weirmq.storage.internal.pipeline;

import io.weirmq.storage.StorageException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a pipeline that wait for the disk, so that its writer need not. Made on demand, up
 * to a limit, and ended after a while without work.
 *
 * <p>A log is with one of them at a time, and comes back by a queue that the writer looks at
 * whenever it has freed slots; so queues hold one entry per attached log at most.
 *
 * <p>Confined to the writer, except that {@link #handBack} is called by the threads.
 */
final class FlushThreads {

  private static final Logger LOG = LoggerFactory.getLogger(FlushThreads.class);

  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor executor;
  private final AppendRing ring;
  private final String pipeline;
  private final BlockingQueue<LogFlushes> finished = new LinkedBlockingQueue<>();
  private final Set<LogFlushes> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

  FlushThreads(int threadsMax, ThreadFactory threads, AppendRing ring, String pipeline) {
    this.ring = ring;
    this.pipeline = pipeline;
    this.executor =
        new ThreadPoolExecutor(
            threadsMax,
            threadsMax,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> newThread(threads, body));
    executor.allowCoreThreadTimeOut(true);
  }

  private Thread newThread(ThreadFactory threads, Runnable body) {
    Thread thread = threads.newThread(body);
    if (thread == null) {
      throw new IllegalStateException("no thread was made for the flushes of " + pipeline);
    }
    return thread;
  }

  /** Gives a log to one of the threads. */
  void start(LogFlushes flushes) {
    underWay.add(flushes);
    executor.execute(flushes);
  }

  /** Gives a log back to the writer, and wakes it. */
  void handBack(LogFlushes flushes) {
    finished.add(flushes);
    // Where the ring is full the writer is awake. It frees slots first and looks here then, we have
    // added first and looked for a free slot then: one of us sees the other.
    ring.wakeWriter();
  }

  boolean hasFinished() {
    return !finished.isEmpty();
  }

  /** Hands over what has come back. */
  void takeFinished(Consumer<LogFlushes> action) {
    for (LogFlushes next = finished.poll(); next != null; next = finished.poll()) {
      take(next, action);
    }
  }

  /** Hands over what comes back until nothing is under way any more. */
  void awaitAll(Consumer<LogFlushes> action) {
    while (!underWay.isEmpty()) {
      LogFlushes next = awaitNext();
      if (next != null) {
        take(next, action);
      }
    }
  }

  private void take(LogFlushes flushes, Consumer<LogFlushes> action) {
    action.accept(flushes);
    // Not where it was started again, nor where the action threw: its appends still wait.
    if (flushes.isAtRest()) {
      underWay.remove(flushes);
    }
  }

  private @Nullable LogFlushes awaitNext() {
    try {
      return finished.take();
    } catch (InterruptedException e) {
      LOG.warn("the writer of pipeline {} was interrupted and waits for the disk", pipeline);
      return null;
    }
  }

  /** Fails all appends that wait, and takes what is under way back without another look. */
  void abandon(StorageException cause) {
    for (LogFlushes flushes : underWay) {
      flushes.refuse(cause);
    }
    underWay.removeIf(LogFlushes::isAtRest);
    awaitAll(LogFlushes::comeToRest);
  }

  /** Lets the threads end. */
  void end() {
    executor.shutdown();
  }
}
