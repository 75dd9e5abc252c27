package io.weirmq.storage.internal.segment;

import java.util.concurrent.ArrayBlockingQueue;

/** A bounded pool of walkers, so that a read allocates none. Safe for use by several threads. */
public final class BatchWalkers {

  /** Walkers that are kept; more readers at the same moment get walkers of their own. */
  private static final int KEPT_MAX = 32;

  private final ArrayBlockingQueue<BatchWalker> idle = new ArrayBlockingQueue<>(KEPT_MAX);

  /** Makes an empty pool. */
  public BatchWalkers() {}

  /** Returns a walker, which the caller gives back. */
  public BatchWalker take() {
    BatchWalker walker = idle.poll();
    return walker != null ? walker : new BatchWalker();
  }

  /** Takes a walker back. */
  public void giveBack(BatchWalker walker) {
    idle.offer(walker);
  }
}
