package io.weirmq.transport.netty.internal;

import io.weirmq.transport.TransportOptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts open accepted connections of a transport, in total and per remote host. Safe for use by
 * several threads.
 */
final class ConnectionLimits {

  private final int connectionsMax;
  private final int connectionsPerHostMax;
  private final Map<String, Integer> openByHost = new HashMap<>();
  private int open;

  ConnectionLimits(TransportOptions options) {
    this.connectionsMax = options.connectionsMax();
    this.connectionsPerHostMax = options.connectionsPerHostMax();
  }

  /**
   * Takes a place for a connection.
   *
   * @return null where there was one, else the limit that is reached, in words
   */
  synchronized @Nullable String tryAcquire(String host) {
    if (open >= connectionsMax) {
      return "limit of " + connectionsMax + " connections";
    }
    int ofHost = openByHost.getOrDefault(host, 0);
    if (ofHost >= connectionsPerHostMax) {
      return "limit of " + connectionsPerHostMax + " connections per host";
    }
    open++;
    openByHost.put(host, ofHost + 1);
    return null;
  }

  /** Gives a place back. */
  synchronized void release(String host) {
    open--;
    openByHost.computeIfPresent(host, (key, count) -> count == 1 ? null : count - 1);
  }
}
