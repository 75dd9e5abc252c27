package io.weirmq.transport.shm.internal.loop;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tasks for a loop, in the order in which each thread adds them.
 *
 * <p>What the loop's own thread adds lies in a queue of its own: nothing is shared, and a task that
 * adds itself again runs once per turn, so that it never keeps the members waiting.
 *
 * <p>{@link #add}, {@link #drop}, {@link #take}, {@link #takeForAMoment} and questions for the
 * owner are for any thread, all else for the loop's own.
 */
final class TaskQueue {

  /** Tasks of other threads in one turn, so that members have theirs. */
  private static final int FOREIGN_PER_TURN = 256;

  private final Queue<Runnable> foreign;
  private final Queue<Runnable> own = new ArrayDeque<>();

  /** A {@link Thread}, or a {@link Guest}. */
  private final AtomicReference<@Nullable Object> owner = new AtomicReference<>();

  /** A thread that has the loop for a moment, in which others wait for it. */
  private record Guest(Thread thread) {}

  /** What became of the wish to have the loop. */
  enum Taken {
    /** The loop is the thread's. */
    YES,
    /** Another thread has it for a moment. */
    SOON,
    /** A thread has it, perhaps the same. */
    NO
  }

  /** Creates an empty one. */
  TaskQueue() {
    this(new ConcurrentLinkedQueue<>());
  }

  /**
   * Creates one that keeps tasks of other threads in a given queue.
   *
   * @param foreign for use by several threads, and by nobody else from now on
   */
  TaskQueue(Queue<Runnable> foreign) {
    this.foreign = foreign;
  }

  /** Makes a thread the loop's, where it has none. */
  Taken take(Thread thread) {
    Object holder = owner.compareAndExchange(null, thread);
    if (holder == null) {
      return Taken.YES;
    }
    return holder instanceof Guest guest && guest.thread() != thread ? Taken.SOON : Taken.NO;
  }

  /**
   * Makes a thread the loop's for a moment.
   *
   * @return false where the loop has one
   */
  boolean takeForAMoment(Thread thread) {
    return owner.compareAndSet(null, new Guest(thread));
  }

  /** Ends what {@link #take} or {@link #takeForAMoment} has begun. */
  void leave(Thread thread) {
    if (isOwnedBy(thread)) {
      owner.set(null);
    }
  }

  boolean isOwnedBy(Thread thread) {
    Object holder = owner.get();
    return holder == thread || (holder instanceof Guest guest && guest.thread() == thread);
  }

  /**
   * Adds a task.
   *
   * @return whether the loop may be asleep, which it is not where it adds a task itself
   */
  boolean add(Runnable task) {
    if (isOwnedBy(Thread.currentThread())) {
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
