package io.weirmq.server.internal.group.classic;

import io.weirmq.server.internal.schedule.Scheduler.Scheduled;
import java.util.HashMap;
import java.util.Map;

/**
 * The ids that were given to clients which have not joined with them yet. Confined to one thread
 * (the coordinator's).
 */
final class PendingMembers {

  private final Map<String, Scheduled> timers = new HashMap<>();

  /**
   * Adds an id.
   *
   * @param timer what takes the id back in time; called off when the id is removed
   */
  void add(String memberId, Scheduled timer) {
    timers.put(memberId, timer);
  }

  boolean contains(String memberId) {
    return timers.containsKey(memberId);
  }

  /** Removes an id; false where it is not there. */
  boolean remove(String memberId) {
    Scheduled timer = timers.remove(memberId);
    if (timer != null) {
      timer.cancel();
    }
    return timer != null;
  }

  void clear() {
    timers.values().forEach(Scheduled::cancel);
    timers.clear();
  }

  int size() {
    return timers.size();
  }

  boolean isEmpty() {
    return timers.isEmpty();
  }
}
