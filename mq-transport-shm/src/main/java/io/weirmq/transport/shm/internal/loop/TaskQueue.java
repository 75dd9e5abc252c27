package io.weirmq.transport.shm.internal.loop;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Tasks for a loop, in the order in which each thread adds them.
 *
 * <p>What the loop's own thread adds lies in a queue of its own: nothing is shared, and a task that
 * adds itself again runs once per turn, so that it never keeps the members waiting.
 *
 * <p>{@link #add} and {@link #drop} are for any thread, all else for the loop's own.
 */
final class TaskQueue {

  /** Tasks of other threads in one turn, so that members have theirs. */
  private static final int FOREIGN_PER_TURN = 256;

  private final LoopOwner owner;
  private final Queue<Runnable> foreign;
  private final Queue<Runnable> own = new ArrayDeque<>();

  /**
   * Creates an empty one.
   *
   * @param owner of the loop
   * @param foreign keeps tasks of other threads; for use by several of them, and by nobody else
   *     from now on
   */
  TaskQueue(LoopOwner owner, Queue<Runnable> foreign) {
    this.owner = owner;
    this.foreign = foreign;
  }

  /**
   * Adds a task.
   *
   * @return whether the loop may be asleep, which it is not where it adds a task itself
   */
  boolean add(Runnable task) {
    if (owner.isOwnedBy(Thread.currentThread())) {
      own.add(task);
      return false;
    }
    foreign.add(task);
    return true;
  }

  /**
   * Takes a task of another thread back, where it was not run yet. From any thread.
   *
   * @return whether it was not
   */
  boolean drop(Runnable task) {
    return foreign.remove(task);
  }

  boolean isEmpty() {
    return own.isEmpty() && foreign.isEmpty();
  }

  /**
   * Runs what there is; own tasks that are added meanwhile wait for the next turn.
   *
   * @return the number of tasks
   */
  int run(Consumer<Runnable> runner) {
    int count = 0;
    for (int left = own.size(); left > 0; left--) {
      runner.accept(own.remove());
      count++;
    }
    Runnable task;
    for (int left = FOREIGN_PER_TURN; left > 0 && (task = foreign.poll()) != null; left--) {
      runner.accept(task);
      count++;
    }
    return count;
  }
}
