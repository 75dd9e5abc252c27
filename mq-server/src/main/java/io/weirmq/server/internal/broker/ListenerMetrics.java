package io.weirmq.server.internal.broker;

import io.weirmq.server.internal.metrics.BrokerMetrics;
import io.weirmq.server.internal.metrics.MetricName;
import io.weirmq.server.internal.request.ClientConnections;
import io.weirmq.server.internal.request.RequestTraffic;
import io.weirmq.transport.Listener;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What is told of each listener: its connections, its requests, and what its transport tells
 * besides. Domain, type and the names that Kafka has, too, are Kafka's; but each is a bean of its
 * own with the attribute {@code Value}, and there is none per network thread.
 */
final class ListenerMetrics {

  private static final String DOMAIN = "kafka.server";
  private static final String TYPE = "socket-server-metrics";

  private ListenerMetrics() {}

  static void register(
      BrokerMetrics metrics, Map<String, Listener> listeners, ClientConnections connections) {
    listeners.forEach(
        (name, listener) -> {
          Map<String, LongSupplier> gauges = new HashMap<>(listener.transportGauges());
          gauges.putAll(ofConnections(listener));
          gauges.putAll(ofRequests(connections.traffic(name)));
          gauges.forEach((gauge, value) -> metrics.gauge(name(gauge, name), value::getAsLong));
        });
  }

  private static Map<String, LongSupplier> ofConnections(Listener listener) {
    return Map.of(
        "connection-count", () -> listener.counters().open(),
        "connection-creation-total", () -> listener.counters().accepted(),
        "connection-refused-total", () -> listener.counters().refused(),
        "framing-error-total", () -> listener.counters().framingErrors());
  }

  private static Map<String, LongSupplier> ofRequests(RequestTraffic traffic) {
    return Map.of(
        "incoming-request-total", traffic::requestCount,
        "incoming-byte-total", traffic::requestByteCount,
        "outgoing-response-total", traffic::responseCount,
        "outgoing-byte-total", traffic::responseByteCount,
        "in-flight-request-count", traffic::inFlightCount);
  }

  private static MetricName name(String name, String listenerName) {
    return MetricName.of(DOMAIN, TYPE, name).with("listener", listenerName);
  }
}
