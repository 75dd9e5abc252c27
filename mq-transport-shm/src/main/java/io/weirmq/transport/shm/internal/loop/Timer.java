package io.weirmq.transport.shm.internal.loop;

/** A task that waits for its time. Confined to the thread of its loop. */
@FunctionalInterface
public interface Timer {

  /** Forgets the task; does nothing where it has run. */
  void cancel();
}
