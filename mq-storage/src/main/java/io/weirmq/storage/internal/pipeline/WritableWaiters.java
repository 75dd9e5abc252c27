package io.weirmq.storage.internal.pipeline;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Actions that wait for room in the ring. Bounded by their callers: a connection waits once.
 *
 * <p>Safe for use by several threads.
 */
final class WritableWaiters {

  private static final Logger LOG = LoggerFactory.getLogger(WritableWaiters.class);

  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  void add(Runnable action) {
    waiting.add(action);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Runs up to a number of actions, the longest waiting first; one that throws is logged. */
  void run(long actionsMax) {
    for (long i = 0; i < actionsMax; i++) {
      Runnable action = waiting.poll();
      if (action == null) {
        return;
      }
      try {
        action.run();
      } catch (RuntimeException e) {
        LOG.error("an action that waited for room in the ring failed", e);
      }
    }
  }
}
