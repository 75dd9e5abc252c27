package io.weirmq.transport.shm.internal;

import io.weirmq.transport.TransportOptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts accepted connections of a transport that are open or about to be, in total and per user,
 * which is what a host is to other transports. Safe for use by several threads.
 */
final class ConnectionLimits {

  private final int connectionsMax;
  private final int connectionsPerUserMax;
  private final Map<String, Integer> byUser = new HashMap<>();
  private int total;

  ConnectionLimits(TransportOptions options) {
    this.connectionsMax = options.connectionsMax();
    this.connectionsPerUserMax = options.connectionsPerHostMax();
  }

  /**
   * Takes a place for a connection.
   *
   * @return null where there was one, else the limit that is reached, in words
   */
  synchronized @Nullable String tryAcquire(String user) {
    if (total >= connectionsMax) {
      return "limit of " + connectionsMax + " connections";
    }
    int ofUser = byUser.getOrDefault(user, 0);
    if (ofUser >= connectionsPerUserMax) {
      return "limit of " + connectionsPerUserMax + " connections per user";
    }
    total++;
    byUser.put(user, ofUser + 1);
    return null;
  }

  /** Gives a place back. */
  synchronized void release(String user) {
    total--;
    byUser.computeIfPresent(user, (key, count) -> count == 1 ? null : count - 1);
  }
}
