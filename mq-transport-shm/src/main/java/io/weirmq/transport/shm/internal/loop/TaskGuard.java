package io.weirmq.transport.shm.internal.loop;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what was handed to the loop so that its failure harms nothing else, and keeps a fault of
 * memory until a turn looks after it.
 *
 * <p>Confined to the thread of the loop.
 */
final class TaskGuard {

  private static final Logger LOG = LoggerFactory.getLogger(TaskGuard.class);

  private @Nullable InternalError memoryFailure;

  /** Runs a task. Throws nothing that the task throws. */
  void run(Runnable task) {
    try {
      task.run();
    } catch (InternalError e) {
      memoryFailure = e;
    } catch (Throwable e) {
      LOG.error("task of an I/O thread failed", e);
    }
  }

  /** Takes what a turn, or a member's part of it, has thrown for a fault of memory. */
  void failed(Throwable e) {
    // A fault within the JDK's own code surfaces as whatever its clean-up makes of it.
    memoryFailure =
        e instanceof InternalError error
            ? error
            : new InternalError("a turn of the loop failed", e);
  }

  /** The latest fault since the last {@link #forget}; null for none. */
  @Nullable InternalError memoryFailure() {
    return memoryFailure;
  }

  /** Forgets the fault, which was looked after. */
  void forget() {
    memoryFailure = null;
  }
}
