package io.weirmq.server.internal.group;

import io.weirmq.server.internal.schedule.Scheduler;
import java.time.Instant;
import java.time.InstantSource;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Monotonic time that moves when told to, and a wall clock that follows it but can also jump. */
final class VirtualTime implements Scheduler {

  /** Not 0 and near the overflow: nobody may rely on the origin of monotonic time. */
  private long nowNs = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5);

  private long wallMs = 1_700_000_000_000L;
  private long elapsedMs;
  private long nextSequence;
  private final PriorityQueue<Task> tasks = new PriorityQueue<>();

  private record Task(long atMs, long sequence, Runnable work) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(atMs, other.atMs);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  @Override
  public Scheduled schedule(long delayMs, Runnable work) {
    Task task = new Task(elapsedMs + Math.max(0, delayMs), nextSequence++, work);
    tasks.add(task);
    return () -> tasks.remove(task);
  }

  long nanos() {
    return nowNs;
  }

  InstantSource wall() {
    return () -> Instant.ofEpochMilli(wallMs);
  }

  long wallMs() {
    return wallMs;
  }

  void jumpWall(long byMs) {
    wallMs += byMs;
  }

  int waitingTaskCount() {
    return tasks.size();
  }

  /** Takes the next task that is due until then, and moves time to it; null if there is none. */
  @Nullable Runnable nextUntil(long limitMs) {
    Task task = tasks.peek();
    if (task == null || task.atMs() > limitMs) {
      moveTo(limitMs);
      return null;
    }
    tasks.poll();
    moveTo(Math.max(elapsedMs, task.atMs()));
    return task.work();
  }

  long elapsedMs() {
    return elapsedMs;
  }

  private void moveTo(long atMs) {
    long stepMs = atMs - elapsedMs;
    elapsedMs = atMs;
    wallMs += stepMs;
    nowNs += TimeUnit.MILLISECONDS.toNanos(stepMs);
  }
}
