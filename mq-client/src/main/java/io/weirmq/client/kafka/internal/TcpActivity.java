package io.weirmq.client.kafka.internal;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The connections that Kafka's Selector has for a {@link LocalSelectable}, and whether anything is
 * awaited from them: that they are made, or responses. From one that is quiet nothing can come but
 * its end.
 *
 * <p>A request that has no response ({@code acks=0}) counts until its connection ends. Confined to
 * the polling thread, except for {@link #count()}.
 */
final class TcpActivity {

  /** How long connections count as active after the last one was seen so. */
  static final long ACTIVE_NANOS = 1_000_000_000L;

  private final Predicate<String> isReady;
  private final Map<String, Integer> awaited = new HashMap<>();
  private volatile int count;
  private boolean active;
  private long lastActiveNanos;

  /**
   * Makes an empty set.
   *
   * @param isReady tells whether a connection is made
   */
  TcpActivity(Predicate<String> isReady) {
    this.isReady = isReady;
  }

  void opened(String id) {
    awaited.putIfAbsent(id, 0);
    count = awaited.size();
  }

  void closed(String id) {
    awaited.remove(id);
    count = awaited.size();
  }

  void closed(Collection<String> ids) {
    awaited.keySet().removeAll(ids);
    count = awaited.size();
  }

  /** Has the connections count as active for a while, whatever is known of them. */
  void touch(long nowNanos) {
    active = true;
    lastActiveNanos = nowNanos;
  }

  void sent(String id) {
    awaited.computeIfPresent(id, (key, requests) -> requests + 1);
  }

  void received(String id) {
    awaited.computeIfPresent(id, (key, requests) -> Math.max(0, requests - 1));
  }

  /** The number of connections; for any thread. */
  int count() {
    return count;
  }

  boolean isEmpty() {
    return awaited.isEmpty();
  }

  /**
   * Whether something is awaited, or was a moment ago, so that there is no change at each request.
   */
  boolean isActive(long nowNanos) {
    for (Map.Entry<String, Integer> each : awaited.entrySet()) {
      if (each.getValue() > 0 || !isReady.test(each.getKey())) {
        touch(nowNanos);
        return true;
      }
    }
    active = active && !isEmpty() && nowNanos - lastActiveNanos < ACTIVE_NANOS;
    return active;
  }
}
