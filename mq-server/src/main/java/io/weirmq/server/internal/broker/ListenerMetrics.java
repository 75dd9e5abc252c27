package io.weirmq.server.internal.broker;

import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import io.weirmq.transport.Listener;
import io.weirmq.transport.ListenerCounters;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What is told of each listener: its own counters, and what its transport tells besides. Domain,
 * type and the names that Kafka has, too, are Kafka's; but each is a bean of its own with the
 * attribute {@code Value}, and there is none per network thread.
 */
final class ListenerMetrics {

  private static final String DOMAIN = "kafka.server";
  private static final String TYPE = "socket-server-metrics";

  private ListenerMetrics() {}

  static void register(BrokerMetrics metrics, Map<String, Listener> listeners) {
    listeners.forEach(
        (name, listener) -> {
          gauge(metrics, listener, name, "connection-count", ListenerCounters::open);
          gauge(metrics, listener, name, "connection-creation-total", ListenerCounters::accepted);
          gauge(metrics, listener, name, "connection-refused-total", ListenerCounters::refused);
          gauge(metrics, listener, name, "framing-error-total", ListenerCounters::framingErrors);
          listener
              .transportGauges()
              .forEach((gauge, value) -> metrics.gauge(name(gauge, name), value::getAsLong));
        });
  }

  private static void gauge(
      BrokerMetrics metrics,
      Listener listener,
      String listenerName,
      String name,
      ToLongFunction<ListenerCounters> value) {
    metrics.gauge(name(name, listenerName), () -> value.applyAsLong(listener.counters()));
  }

  private static MetricName name(String name, String listenerName) {
    return MetricName.of(DOMAIN, TYPE, name).with("listener", listenerName);
  }
}
