package io.weirmq.server.internal.fetch;

import io.weirmq.server.internal.schedule.Scheduler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The fetches and direct reads that wait for records. Safe for use by several threads. */
public final class DelayedFetches {

  private final Scheduler scheduler;
  private final Set<DelayedAnswer> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean finishing;

  /** Makes an empty set. */
  public DelayedFetches(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The number of fetches that wait. */
  public int count() {
    return waiting.size();
  }

  /**
   * Answers all fetches that wait with what there is, and those that come later at once; for a
   * broker that stops.
   */
  public void finishAll() {
    finishing = true;
    waiting.forEach(DelayedAnswer::finishSoon);
  }

  void add(DelayedAnswer fetch) {
    waiting.add(fetch);
    if (finishing) {
      fetch.finishSoon();
    }
  }

  void remove(DelayedAnswer fetch) {
    waiting.remove(fetch);
  }

  Scheduler.Scheduled schedule(long delayMs, DelayedAnswer fetch) {
    return scheduler.schedule(delayMs, fetch::finishSoon);
  }
}
