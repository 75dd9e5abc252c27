package io.weirmq.storage.internal.directory;

import io.weirmq.storage.StorageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;

/**
 * Does one thing with each of many logs, on a bounded number of threads that end with the work: the
 * disk serves several at a time, and forces that meet share their cost. Safe for use by several
 * threads.
 */
final class BesideEachOther {

  private final int threadsMax;
  private final ThreadFactory threadFactory;

  /**
   * Makes it; no thread is started yet.
   *
   * @param threadsMax threads at a time, 1 or more; with 1 the caller does the work
   */
  BesideEachOther(int threadsMax, ThreadFactory threadFactory) {
    this.threadsMax = threadsMax;
    this.threadFactory = threadFactory;
  }

  /** What is done with each. */
  interface Task<T> {
    void run(T item) throws StorageException;
  }

  /**
   * Does it with all, also where it fails for some.
   *
   * @throws StorageException the first failure, with the others suppressed; or where the wait was
   *     interrupted, with nothing running any more
   */
  <T> void run(Collection<T> items, Task<T> task) throws StorageException {
    Queue<T> left = new ConcurrentLinkedQueue<>(items);
    List<Exception> failures = new ArrayList<>();
    Runnable worker = () -> work(left, task, failures);
    int threads = Math.min(threadsMax, items.size());
    if (threads <= 1) {
      worker.run();
    } else {
      join(start(threads, worker), left);
    }
    throwIfAny(failures);
  }

  private List<Thread> start(int count, Runnable worker) {
    List<Thread> threads = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Thread thread = threadFactory.newThread(worker);
      thread.start();
      threads.add(thread);
    }
    return threads;
  }

  private static <T> void work(Queue<T> left, Task<T> task, List<Exception> failures) {
    for (T item = left.poll(); item != null; item = left.poll()) {
      try {
        task.run(item);
      } catch (StorageException | RuntimeException e) {
        synchronized (failures) {
          failures.add(e);
        }
      }
    }
  }

  /** Waits for all; where the wait is interrupted, what has not begun is left undone. */
  private static void join(List<Thread> threads, Queue<?> left) throws StorageException {
    boolean interrupted = false;
    for (Thread thread : threads) {
      boolean ended = false;
      while (!ended) {
        try {
          thread.join();
          ended = true;
        } catch (InterruptedException e) {
          interrupted = true;
          left.clear();
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new StorageException("work on the logs was interrupted");
    }
  }

  private static void throwIfAny(List<Exception> failures) throws StorageException {
    if (failures.isEmpty()) {
      return;
    }
    Exception first = failures.get(0);
    failures.stream().skip(1).forEach(first::addSuppressed);
    if (first instanceof StorageException known) {
      throw known;
    }
    throw new StorageException("a log could not be handled: " + first, first);
  }
}
